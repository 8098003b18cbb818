#!/bin/sh
# Creates what the containers need: passwords in infra/.env, which Compose reads, and the addresses of the servers with
# them in infra/secrets, one file for each secret. Adds only the passwords that an existing .env lacks, and writes the
# files again from it.
set -eu
umask 077
cd "$(dirname "$0")"
touch .env
. ./.env
# A last line without its end gets it.
awk 1 .env >.env.new
for name in RABBITMQ DATABASE DATABASE_ROOT DATABASE_REPLICATION REDIS GATEWAY WRITER RANKER MAINTENANCE; do
  eval "password=\${TALLY_${name}_PASSWORD:-}"
  [ -z "$password" ] || continue
  password=$(openssl rand -hex 16)
  echo "TALLY_${name}_PASSWORD=$password" >>.env.new
done
mv .env.new .env
. ./.env
database=${TALLY_DATABASE:-tally}
mkdir -p secrets

# secret NAME VALUE. Only the owner can enter the folder. A container gets the file itself, with its permissions, as
# another user.
secret() {
  rm -f "secrets/$1"
  printf '%s\n' "$2" >"secrets/$1"
  chmod 444 "secrets/$1"
}

# addresses APP PASSWORD
addresses() {
  secret "$1-amqp-url" "amqp://tally_$1:$2@rabbitmq:5672"
  secret "$1-database-write-url" "mysql://tally_$1:$2@database-primary:3306/$database"
  secret "$1-database-read-url" "mysql://tally_$1:$2@database-replica:3306/$database"
  secret "$1-redis-url" "redis://tally_$1:$2@redis:6379"
}

addresses gateway "$TALLY_GATEWAY_PASSWORD"
addresses writer "$TALLY_WRITER_PASSWORD"
addresses ranker "$TALLY_RANKER_PASSWORD"
addresses maintenance "$TALLY_MAINTENANCE_PASSWORD"
# The administrator creates the tables.
secret admin-database-write-url "mysql://tally:$TALLY_DATABASE_PASSWORD@database-primary:3306/$database"
