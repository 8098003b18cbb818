-- One row for each two users of whom one has swiped the other: what the newest of these swipes says.
CREATE TABLE swipe_pairs (
  swiper BIGINT UNSIGNED NOT NULL,
  swipee BIGINT UNSIGNED NOT NULL,
  liked TINYINT UNSIGNED NOT NULL,
  taken_at BIGINT UNSIGNED NOT NULL,
  swipe_id BINARY(16) NOT NULL,
  -- Whom a user likes, how many, and whether they like him too: all along this key.
  PRIMARY KEY (swiper, swipee)
) ENGINE=InnoDB
