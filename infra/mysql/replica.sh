#!/bin/bash
# Runs once, when the replica's volume is empty. Makes it follow the primary and read-only, both from the server's next
# start, which comes right after this script: until then the image itself must write.
set -eu
mysql --user=root --password="$MYSQL_ROOT_PASSWORD" <<SQL
CHANGE REPLICATION SOURCE TO SOURCE_HOST = 'database-primary', SOURCE_USER = 'tally_replication',
  SOURCE_PASSWORD = '$(<"$FILL_REPLICATION_FILE")', SOURCE_AUTO_POSITION = 1, GET_SOURCE_PUBLIC_KEY = 1,
  SOURCE_CONNECT_RETRY = 1, SOURCE_RETRY_COUNT = 86400;
SET PERSIST_ONLY super_read_only = ON;
SQL
