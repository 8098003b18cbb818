-- One row per review. How many an album has is answered from the rankings, so there is no index by album.
CREATE TABLE album_reviews (
  id BINARY(16) NOT NULL,
  -- No foreign key: a review may be written before its album, when another writer has that batch.
  album_id BINARY(16) NOT NULL,
  -- 1 likes, 0 dislikes.
  liked TINYINT UNSIGNED NOT NULL,
  producer BINARY(8) NOT NULL,
  sequence INT UNSIGNED NOT NULL,
  PRIMARY KEY (id)
) ENGINE=InnoDB
