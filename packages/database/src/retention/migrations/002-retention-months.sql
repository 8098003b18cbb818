-- One row for each month that was removed, or is being removed; of a domain at most one is not removed.
CREATE TABLE retention_months (
  domain VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  -- 2025-01
  month CHAR(7) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  -- moving, exporting, counting, dropping or removed: packages/retention/src/remove-month.ts
  step VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  -- The leaving rows with an id up to this one are in the base.
  counted_to BINARY(16) NOT NULL,
  -- The exported file; NULL before it is complete.
  events BIGINT UNSIGNED NULL,
  file VARCHAR(1000) CHARACTER SET utf8mb4 NULL,
  sha256 CHAR(64) CHARACTER SET ascii NULL,
  PRIMARY KEY (domain, month)
) ENGINE=InnoDB
