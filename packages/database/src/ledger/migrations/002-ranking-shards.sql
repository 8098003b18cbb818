-- A copy of the number of shards that the rankings of each domain have in Redis, for when Redis has lost everything. `tally migrate` adds the
-- rows, so that the ranker needs no right to insert.
CREATE TABLE ranking_shards (
  domain VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
  -- NULL: they were never built.
  shards SMALLINT UNSIGNED NULL
) ENGINE=InnoDB
