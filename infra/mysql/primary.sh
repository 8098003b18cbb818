#!/bin/bash
# Runs once, when the primary's volume is empty: the accounts. The replica gets them by replication.
set -eu
mysql --user=root --password="$MYSQL_ROOT_PASSWORD" <<SQL
CREATE DATABASE IF NOT EXISTS \`$TALLY_DATABASE\`;
CREATE USER tally@'%' IDENTIFIED BY '$TALLY_DATABASE_PASSWORD';
GRANT ALL ON \`${TALLY_DATABASE//_/\\_}%\`.* TO tally@'%';
GRANT REPLICATION CLIENT ON *.* TO tally@'%';
CREATE USER tally_replication@'%' IDENTIFIED BY '$TALLY_DATABASE_REPLICATION_PASSWORD';
GRANT REPLICATION SLAVE ON *.* TO tally_replication@'%';
SQL
