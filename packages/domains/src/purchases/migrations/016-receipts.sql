-- Sales of the day that are not void; NULL in samples of an earlier release.
ALTER TABLE sales_samples ADD COLUMN receipts BIGINT NULL
