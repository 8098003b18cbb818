#!/bin/bash
# User data of an instance that runs a gateway, a writer or a ranker: this file followed by run-app.sh. Replace the
# values in angle brackets. SETTINGS: those that differ from their defaults, one in a line.
APP="<app>"
REGION="<region>"
IMAGE="<registry>/tally/<app>:<tag>"
SECRET="<name or ARN of the secret with the addresses for the app's account>"
# The first of the PORTS has /health/live. All but the gateway's 8080 are operator ports, for the private network only.
# MEMORY: each of two threads may use half of it; c7g.large has 4 GB.
case $APP in
  writer) PORTS=8081 MEMORY=3g SETTINGS=WRITER_THREADS=2 ;;
  ranker) PORTS=8082 MEMORY=3g SETTINGS=RANKER_THREADS=2 ;;
  *) PORTS="8080 8083" MEMORY=2g SETTINGS="DRAIN_MS=15000
TRUST_PROXY=<networks of the load balancer, such as 10.20.0.0/24,10.20.1.0/24>" ;;
esac
