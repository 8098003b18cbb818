-- The pictures, in parts: a statement, a row event of the binary log and a row that is read stay far below what any server's
-- max_allowed_packet lets through, however large the picture is.
CREATE TABLE album_images (
  album_id BINARY(16) NOT NULL,
  -- The part's place, from 0.
  part SMALLINT UNSIGNED NOT NULL,
  bytes MEDIUMBLOB NOT NULL,
  -- No foreign key: album and parts are written in one transaction.
  PRIMARY KEY (album_id, part)
) ENGINE=InnoDB
