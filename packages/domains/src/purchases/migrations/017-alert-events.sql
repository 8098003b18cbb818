-- Alerts for subscribers of the change feed, until they are published: see alerts.ts.
CREATE TABLE alert_events (
  id VARCHAR(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
  -- ms since 1970
  noted_at BIGINT UNSIGNED NOT NULL,
  -- Without source and version of the CloudEvent.
  event TEXT CHARACTER SET utf8mb4 NOT NULL,
  KEY noted (noted_at)
) ENGINE=InnoDB
