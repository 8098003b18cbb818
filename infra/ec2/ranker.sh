#!/bin/bash
# User data of an instance that runs a ranker: this file followed by run-app.sh. Replace the values in angle brackets.
APP=ranker
REGION="<region>"
IMAGE="<registry>/tally/ranker:<tag>"
SECRET="<name or ARN of the secret with the addresses for tally_ranker>"
PORTS="8082" # operator port, for the private network only
LIVE_PORT=8082
MEMORY=3g # each of the two threads may use half of it; c7g.large has 4 GB
read -r -d '' SETTINGS <<'END' || true
NAMESPACE=tally
RANKING_SHARDS=1
DOMAINS=
STOP_WITHIN_MS=20000
RANKER_THREADS=2
END
