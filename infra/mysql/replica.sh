#!/bin/bash
# Runs once, when the replica's volume is empty. Copies the primary, whose log may not reach back to its first commit.
# Makes the replica follow it and read-only, both from the server's next start, which comes right after this script: until
# then the image itself must write.
set -euo pipefail
export MYSQL_PWD=$MYSQL_ROOT_PASSWORD
mysqldump --host=database-primary --user=root --max-allowed-packet=1G --all-databases --single-transaction |
  mysql --user=root --binary-mode --max-allowed-packet=1G
mysql --user=root <<SQL
CHANGE REPLICATION SOURCE TO SOURCE_HOST = 'database-primary', SOURCE_USER = 'tally_replication',
  SOURCE_PASSWORD = '$(<"$FILL_REPLICATION_FILE")', SOURCE_AUTO_POSITION = 1, GET_SOURCE_PUBLIC_KEY = 1,
  SOURCE_CONNECT_RETRY = 1, SOURCE_RETRY_COUNT = 86400;
SET PERSIST_ONLY super_read_only = ON;
SQL
