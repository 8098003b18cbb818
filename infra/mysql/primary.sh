#!/bin/bash
# Runs once, when the primary's volume is empty.
set -eu
bash /tally/mysql/accounts.sh
