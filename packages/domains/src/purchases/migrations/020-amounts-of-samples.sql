-- Of the day, × 10,000: the price of all units, and what refunds paid back; NULL where it is not known.
ALTER TABLE sales_samples ADD COLUMN gross_sales BIGINT NULL, ADD COLUMN returned BIGINT NULL
