-- One row for each domain whose old rows are removed (`tally retention`). Without one, nothing was ever removed.
CREATE TABLE retention (
  domain VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
  -- The writer stores no event with an earlier date. It only grows, before the rows are moved.
  retained_from DATE NOT NULL
) ENGINE=InnoDB
