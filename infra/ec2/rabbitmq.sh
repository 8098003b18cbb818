#!/bin/bash
# User data of one of three RabbitMQ nodes, for Amazon Linux 2023 on arm64 or x86: this file followed by
# run-rabbitmq.sh. Replace the values in angle brackets. The three addresses are fixed private addresses, in three
# zones.
NODE="<1, 2 or 3>"
ADDRESSES="<address of node 1> <address of node 2> <address of node 3>"
REGION="<region>"
SECRET="<name or ARN of a secret: JSON with cookie, admin, maintenance, gateway, writer, ranker>"
# The device of the data volume: it outlives the instance.
DEVICE=/dev/sdf
NAMESPACE=tally
