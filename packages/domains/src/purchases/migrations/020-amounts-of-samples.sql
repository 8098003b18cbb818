-- Of the day, × 10,000: the price of all units, what refunds paid back, and the rest; NULL where it is not known.
ALTER TABLE sales_samples ADD COLUMN gross_sales BIGINT NULL, ADD COLUMN returned BIGINT NULL,
  ADD COLUMN discounts BIGINT NULL
