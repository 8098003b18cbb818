-- A release that knows no series reads folded counts through the view. It cannot fold until it is upgraded: the view takes
-- no rows.
-- A correction counts [[item, -quantity, -net * 10000], …], and a void -gross * 10000 as the fourth number.
RENAME TABLE folded_counts TO folded_counts_before;
INSERT IGNORE INTO folded_series (domain, series, member, slice, counts)
  SELECT domain, '', member, slice, counts FROM folded_counts_before;
-- What was folded without series may have sales of tomorrow.
UPDATE ledger_folds SET series_from = DATE_FORMAT(UTC_DATE() + INTERVAL 3 DAY, '%Y%m%d') WHERE batches > 0;
DROP TABLE folded_counts_before;
CREATE VIEW folded_counts AS SELECT domain, member, slice, counts FROM folded_series WHERE series = ''
