-- One row per batch, written in the transaction that writes the batch's events: a batch that is here is stored.
CREATE TABLE batches (
  -- 64 random bits, new at each start of a gateway and for each of its domains; with the sequence it names a batch for ever.
  producer BINARY(8) NOT NULL,
  sequence INT UNSIGNED NOT NULL,
  domain VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  -- The first 8 bytes of SHA-256 of the message: another batch under the same id is noticed, not dropped.
  body_hash BINARY(8) NOT NULL,
  -- How many events the message held, how many of them changed rows, and how many became dead letters for their data. The
  -- rest were stored before.
  events INT UNSIGNED NOT NULL,
  changes INT UNSIGNED NOT NULL,
  refused INT UNSIGNED NOT NULL,
  -- ms since 1970, by the writer's clock.
  stored_at BIGINT UNSIGNED NOT NULL,
  -- The outbox: the ranking message, kept until it is surely applied. NULL when pruned.
  moves MEDIUMBLOB NULL,
  -- A producer's batches arrive in order: the tree grows at as many places as there are gateways.
  PRIMARY KEY (producer, sequence),
  -- What was stored since a time, domain by domain: for the auditor, which looks for batches without a mark.
  KEY domain_time (domain, stored_at)
) ENGINE=InnoDB
