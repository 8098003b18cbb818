#!/bin/bash
# User data of the operator's instance: this file, three files of accounts, and run-operator.sh, as docs/deploy-ec2.md
# shows. Replace the values in angle brackets. It serves nothing: `aws ssm start-session` opens a shell on it.
REGION="<region>"
IMAGE="<registry>/tally/admin:<tag>"
# The writer endpoint of the database, and the name of the broker's host.
DATABASE="<writer endpoint>"
BROKER="<host of the broker>"
NAMESPACE=tally
