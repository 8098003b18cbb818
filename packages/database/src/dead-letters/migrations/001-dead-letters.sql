-- What can never be stored as it is, kept for a person to decide about.
CREATE TABLE dead_letters (
  -- The event's id; of a message, the first 16 bytes of SHA-256 of its queue, its id and its body. So the same letter is one row, however
  -- often it comes.
  id BINARY(16) NOT NULL PRIMARY KEY,
  domain VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  -- event: the database refuses it for its data. message: nobody can read it. delivery: the broker gave it up.
  stage VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  -- Where it came from, and where it goes when it is replayed.
  queue VARCHAR(255) NOT NULL,
  -- Of a message; empty for an event.
  message_id VARCHAR(255) NOT NULL,
  reason VARCHAR(1000) NOT NULL,
  -- ms since 1970; of a letter that came again, the last time.
  died_at BIGINT UNSIGNED NOT NULL,
  -- The event as JSON, or the message as it was.
  body LONGBLOB NOT NULL,
  -- open, replayed or discarded.
  state VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  KEY domain_state_time (domain, state, died_at)
) ENGINE=InnoDB
