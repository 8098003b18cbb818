#!/bin/bash
# User data of an instance that runs a gateway: this file followed by run-app.sh. Replace the values in angle brackets.
APP=gateway
REGION="<region>"
IMAGE="<registry>/tally/gateway:<tag>"
SECRET="<name or ARN of the secret with the addresses for tally_gateway>"
PORTS="8080 8083" # requests; operator port, for the private network only
LIVE_PORT=8080
MEMORY=2g
read -r -d '' SETTINGS <<'END' || true
NAMESPACE=tally
RANKING_SHARDS=1
DOMAINS=
STOP_WITHIN_MS=20000
DRAIN_MS=15000
TRUST_PROXY=<networks of the load balancer, such as 10.20.0.0/24,10.20.1.0/24>
END
