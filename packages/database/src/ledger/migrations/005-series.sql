-- Folded counts by series (series.ts of packages/contract), in slices by the key (sliceOf there).
CREATE TABLE folded_series (
  domain VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  series VARCHAR(24) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  member BIGINT UNSIGNED NOT NULL,
  slice TINYINT UNSIGNED NOT NULL,
  counts MEDIUMTEXT CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  PRIMARY KEY (domain, series, member, slice),
  -- The counts of one key in all members.
  KEY key_slice (domain, series, slice)
) ENGINE=InnoDB;
-- Days from this one on, yyyymmdd, are complete in the folded series; 0: all days, and all time.
ALTER TABLE ledger_folds ADD COLUMN series_from INT UNSIGNED NOT NULL DEFAULT 0
