-- What folding has taken from the ledger: see folds.ts. One row for each domain, which `tally migrate` adds.
CREATE TABLE ledger_folds (
  domain VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
  -- The last epoch of a folded batch.
  epoch BIGINT UNSIGNED NOT NULL,
  batches BIGINT UNSIGNED NOT NULL,
  events BIGINT UNSIGNED NOT NULL,
  changes BIGINT UNSIGNED NOT NULL,
  refused BIGINT UNSIGNED NOT NULL,
  -- When the newest folded batch was stored, in ms since 1970.
  newest BIGINT UNSIGNED NOT NULL
) ENGINE=InnoDB;
-- Which batches are folded: bit n of a part, highest bit of a byte first, is sequence 8192 * part + n of the producer.
CREATE TABLE folded_batches (
  domain VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  producer BINARY(8) NOT NULL,
  part INT UNSIGNED NOT NULL,
  marks VARBINARY(1024) NOT NULL,
  PRIMARY KEY (domain, producer, part)
) ENGINE=InnoDB;
-- The sums of what folded batches add to mirrored boards, [[key, count], …], in slices by the key modulo 8.
CREATE TABLE folded_counts (
  domain VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  member BIGINT UNSIGNED NOT NULL,
  slice TINYINT UNSIGNED NOT NULL,
  counts MEDIUMTEXT CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  PRIMARY KEY (domain, member, slice)
) ENGINE=InnoDB
