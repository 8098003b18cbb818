#!/bin/bash
# Creates the missing accounts on the primary; runs also when its volume is empty. Safe to repeat. The replica gets them
# by replication.
set -eu
# The first start has MYSQL_ROOT_PASSWORD, because the image reads the file before it runs this script. `docker exec`
# has MYSQL_ROOT_PASSWORD_FILE.
root=${MYSQL_ROOT_PASSWORD:-$(<"${MYSQL_ROOT_PASSWORD_FILE:-/run/secrets/root}")}
export FILL_DATABASES="${FILL_DATABASE//_/\\_}%" FILL_FROM=% FILL_LAG="REPLICATION CLIENT"
bash /tally/fill-template.sh /tally/mysql/accounts.sql | MYSQL_PWD=$root mysql --user=root
