-- The order in which batches become visible, which no clock gives: see epochs.ts. 0: stored by a writer of an earlier release.
ALTER TABLE batches ADD COLUMN epoch BIGINT UNSIGNED NOT NULL DEFAULT 0, ADD KEY domain_epoch (domain, epoch);
-- Two rows for each domain, which `tally migrate` adds: the newest epoch and the one before it.
CREATE TABLE ledger_epochs (
  domain VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  -- The parity of the epoch.
  slot TINYINT UNSIGNED NOT NULL,
  epoch BIGINT UNSIGNED NOT NULL,
  -- Random: the same epoch opened again, after a failover that lost it, has another one.
  token BINARY(8) NOT NULL,
  -- 0: all batches of the epoch, and of those before it, are committed.
  is_open TINYINT UNSIGNED NOT NULL,
  PRIMARY KEY (domain, slot)
) ENGINE=InnoDB
