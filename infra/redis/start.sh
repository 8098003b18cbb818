#!/bin/bash
# Valkey with the accounts of users.conf. The arguments are further options.
set -eu
umask 077
bash /tally/fill-template.sh /tally/redis/users.conf > /tmp/users.conf
chown valkey:valkey /tmp/users.conf
exec docker-entrypoint.sh valkey-server /tmp/users.conf "$@"
