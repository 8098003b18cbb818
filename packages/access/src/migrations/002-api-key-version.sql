-- One row. Each change of a key increments it first and holds its lock until the commit, so versions become visible in their order.
CREATE TABLE api_key_version (
  one TINYINT UNSIGNED NOT NULL PRIMARY KEY,
  version BIGINT UNSIGNED NOT NULL
) ENGINE=InnoDB
