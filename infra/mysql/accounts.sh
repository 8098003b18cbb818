#!/bin/bash
# Creates the missing accounts on the primary; runs also when its volume is empty. Safe to repeat. The replica gets them by replication.
set -eu
export FILL_DATABASES="${FILL_DATABASE//_/\\_}%" FILL_FROM=% FILL_LAG="REPLICATION CLIENT"
bash /tally/fill-template.sh /tally/mysql/accounts.sql | MYSQL_PWD=$(<"$MYSQL_ROOT_PASSWORD_FILE") mysql --user=root
