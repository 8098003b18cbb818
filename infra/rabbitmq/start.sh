#!/bin/bash
# RabbitMQ with the accounts of definitions.json, which it reads at each start.
set -eu
umask 077
# All namespaces, as a regular expression.
[ "$FILL_NAMESPACE" != "*" ] || export FILL_NAMESPACE=.+
bash /tally/fill-template.sh /tally/rabbitmq/definitions.json > /etc/rabbitmq/definitions.json
printf '%s\n' "load_definitions = /etc/rabbitmq/definitions.json" "disk_free_limit.absolute = 500MB" \
  > /etc/rabbitmq/conf.d/20-tally.conf
chown rabbitmq:rabbitmq /etc/rabbitmq/definitions.json /etc/rabbitmq/conf.d/20-tally.conf
exec docker-entrypoint.sh rabbitmq-server
