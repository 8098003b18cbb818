#!/bin/bash
# Valkey with the accounts of users.conf.
set -eu
umask 077
bash /tally/fill-template.sh /tally/redis/users.conf > /tmp/users.conf
chown valkey:valkey /tmp/users.conf
exec docker-entrypoint.sh valkey-server /tmp/users.conf --save "" --appendonly yes --appendfsync everysec \
  --maxmemory "$MAXMEMORY" --maxmemory-policy noeviction --zset-max-listpack-entries 512 --zset-max-listpack-value 64 \
  --hash-max-listpack-entries 64
