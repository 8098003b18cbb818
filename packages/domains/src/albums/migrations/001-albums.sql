-- One row per album, without its picture, so that profiles are read from few pages. The clustered key is the event's id: a UUIDv7 grows
-- with time, so rows arrive at the end of the tree.
CREATE TABLE albums (
  id BINARY(16) NOT NULL,
  artist VARCHAR(255) CHARACTER SET utf8mb4 NOT NULL,
  title VARCHAR(255) CHARACTER SET utf8mb4 NOT NULL,
  year VARCHAR(255) CHARACTER SET utf8mb4 NOT NULL,
  image_type VARCHAR(32) CHARACTER SET ascii NOT NULL,
  -- Bytes.
  image_size INT UNSIGNED NOT NULL CHECK (image_size > 0),
  -- The batch that stored it.
  producer BINARY(8) NOT NULL,
  sequence INT UNSIGNED NOT NULL,
  PRIMARY KEY (id)
) ENGINE=InnoDB
