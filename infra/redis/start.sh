#!/bin/bash
# Valkey with the accounts of users.conf.
set -eu
umask 077
bash /tally/fill-template.sh /tally/redis/users.conf > /tmp/users.conf
chown valkey:valkey /tmp/users.conf
# 70 % of the container's memory, so that a full Redis rejects writes instead of being killed. A rewrite of its file
#    needs the rest. 0: no limit.
limit=$(cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null | head -n 1)
[[ $limit =~ ^[0-9]+$ ]] && maxmemory=$((limit / 10 * 7)) || maxmemory=0
exec docker-entrypoint.sh valkey-server /tmp/users.conf --save "" --appendonly yes --appendfsync everysec \
  --maxmemory "$maxmemory" --maxmemory-policy noeviction --zset-max-listpack-entries 512 --zset-max-listpack-value 64 \
  --hash-max-listpack-entries 64
