-- ISO 4217. All stores have the same one, or none.
ALTER TABLE stores ADD COLUMN currency CHAR(3) CHARACTER SET ascii COLLATE ascii_bin NULL;
-- Its row is locked by each transaction that sets a currency.
CREATE TABLE currency_lock (id TINYINT UNSIGNED NOT NULL PRIMARY KEY) ENGINE=InnoDB
