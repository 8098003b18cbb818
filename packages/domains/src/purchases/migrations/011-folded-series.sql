-- Folded counts by series: "" as before, the others beside it (series.ts). Under another name, because a release that
-- knows no series would add up all of them: it folds nothing until it is upgraded.
-- A correction counts [[item, -quantity, -net * 10000], …], and a void -gross * 10000 as the fourth number.
ALTER TABLE folded_counts
  ADD COLUMN series VARCHAR(24) CHARACTER SET ascii COLLATE ascii_bin NOT NULL AFTER domain,
  DROP PRIMARY KEY,
  ADD PRIMARY KEY (domain, series, member, slice),
  -- All members of a key.
  ADD KEY key_slice (domain, series, slice),
  RENAME TO folded_series;
-- Days from this one on, yyyymmdd, are complete in the folded series; 0: all, and all time. Earlier ones were folded
-- without series; a till may send a sale of tomorrow.
ALTER TABLE ledger_folds ADD COLUMN series_from INT UNSIGNED NOT NULL DEFAULT 0;
UPDATE ledger_folds SET series_from = DATE_FORMAT(UTC_DATE() + INTERVAL 3 DAY, '%Y%m%d') WHERE batches > 0
