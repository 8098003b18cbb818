-- API keys. The secret itself is stored nowhere.
CREATE TABLE api_keys (
  -- 16 hex digits, part of the key that clients send.
  id CHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
  name VARCHAR(100) NOT NULL,
  -- SHA-256 of the secret. The secret has 256 random bits, so a slow hash would add nothing.
  secret_hash BINARY(32) NOT NULL,
  -- The secret before the last rotation, valid until then (ms since 1970).
  previous_hash BINARY(32) NULL,
  previous_until BIGINT UNSIGNED NULL,
  -- "domain:read" and "domain:write", separated by spaces.
  scopes TEXT CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  -- Separated by spaces. NULL: all stores.
  stores TEXT NULL,
  -- The key's rate limit. NULL: that of the gateway's settings.
  events_per_second INT UNSIGNED NULL,
  burst INT UNSIGNED NULL,
  created_at BIGINT UNSIGNED NOT NULL,
  revoked_at BIGINT UNSIGNED NULL,
  -- The change that wrote this row last. Gateways read rows with a greater version than the last one that they have.
  version BIGINT UNSIGNED NOT NULL,
  KEY version (version)
) ENGINE=InnoDB
