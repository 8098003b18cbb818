-- How many purchases of each batch were removed, so that the audit can compare rows with the ledger.
CREATE TABLE purchases_base_batches (
  producer BINARY(8) NOT NULL,
  sequence INT UNSIGNED NOT NULL,
  purchases INT UNSIGNED NOT NULL,
  PRIMARY KEY (producer, sequence)
) ENGINE=InnoDB
