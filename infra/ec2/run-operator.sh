# Second part of the user data of the operator's instance, for Amazon Linux 2023 on arm64 or x86. Needs the texts of
# infra/fill-template.sh, infra/mysql/accounts.sql, infra/rabbitmq/definitions.json and
# infra/aws/src/operate/create-broker-accounts.ts in FILL_TEMPLATE, ACCOUNTS, DEFINITIONS and BROKER_ACCOUNTS. Makes two
# commands: `tally`, and `tally-accounts`, which creates the accounts of the database and of Amazon MQ.
set -euo pipefail
case "$REGION$IMAGE$DATABASE$BROKER" in *"<"*) echo "replace the values in angle brackets in operator.sh" >&2; exit 1 ;; esac

dnf install --quiet --assumeyes docker jq
systemctl enable --now docker
install -d -m 0755 /etc/tally
# What `tally export` and `tally retention` write outlives the container, and what `tally import` and `tally audit
# --acknowledged` read is here.
install -d -m 0700 -o 1000 -g 1000 /var/lib/tally
curl --fail --silent --show-error --retry 10 --retry-all-errors --output /etc/tally/rds-ca.pem \
  https://truststore.pki.rds.amazonaws.com/global/global-bundle.pem
printf '%s\n' "$FILL_TEMPLATE" > /etc/tally/fill-template.sh
printf '%s\n' "$ACCOUNTS" > /etc/tally/accounts.sql
printf '%s\n' "$DEFINITIONS" > /etc/tally/definitions.json
printf '%s\n' "$BROKER_ACCOUNTS" > /etc/tally/create-broker-accounts.ts

cat > /etc/tally/common.sh <<END
set -euo pipefail
IMAGE="$IMAGE" DATABASE="$DATABASE" BROKER="$BROKER" NAMESPACE="$NAMESPACE"
# secret NAME: its JSON.
secret() { aws secretsmanager get-secret-value --region "$REGION" --secret-id "\$1" --query SecretString --output text; }
# variables PREFIX: the keys and values of a JSON object as lines for --env-file.
variables() { jq --raw-output --arg prefix "\$1" 'to_entries[] | "\(\$prefix)\(if \$prefix == "" then .key else .key | ascii_upcase end)=\(.value)"'; }
login() { aws ecr get-login-password --region "$REGION" | docker login --username AWS --password-stdin "\${IMAGE%%/*}"; }
case "\$IMAGE" in *.amazonaws.com/*) said=\$(login 2>&1) || { echo "\$said" >&2; exit 1; } ;; esac
END

cat > /usr/local/bin/tally <<'END'
#!/bin/bash
# tally COMMAND: as tally_maintenance; migrate and retention as the administrator.
. /etc/tally/common.sh
name=tally-maintenance
case "${1-}" in migrate | retention) name=tally-admin ;; esac
exec docker run --rm --init --user 1000:1000 --read-only --tmpfs /tmp:size=64m --cap-drop ALL --security-opt no-new-privileges \
  --env-file <(secret "$name" | variables "") --env NAMESPACE="$NAMESPACE" --env NODE_EXTRA_CA_CERTS=/etc/tally/rds-ca.pem \
  --env TALLY_API_KEY --env TALLY_URL \
  --volume /etc/tally:/etc/tally:ro --volume /var/lib/tally:/export "$IMAGE" "$@"
END

cat > /usr/local/bin/tally-accounts <<'END'
#!/bin/bash
# Creates the accounts that are missing. Safe to repeat; an account of the database keeps its password.
. /etc/tally/common.sh
passwords=$(secret tally-passwords)
export FILL_DATABASE=tally FILL_DATABASES=tally FILL_FROM=% FILL_LAG="REPLICATION CLIENT" FILL_NAMESPACE="$NAMESPACE"
while IFS='=' read -r name value; do export "$name=$value"; done < <(variables FILL_ <<<"$passwords")
bash /etc/tally/fill-template.sh /etc/tally/accounts.sql |
  MYSQL_PWD="$FILL_ADMIN" docker run --rm --interactive --env MYSQL_PWD --volume /etc/tally:/etc/tally:ro mysql:8.4 \
    mysql --host="$DATABASE" --user=administrator --ssl-mode=VERIFY_IDENTITY --ssl-ca=/etc/tally/rds-ca.pem
echo "database: the accounts exist"
docker run --rm --env-file <(variables FILL_ <<<"$passwords") --env FILL_NAMESPACE --env MANAGEMENT_URL="https://$BROKER" \
  --env DEFINITIONS="$(</etc/tally/definitions.json)" --entrypoint node "$IMAGE" \
  --input-type=module-typescript --eval "$(</etc/tally/create-broker-accounts.ts)"
END
chmod 0755 /usr/local/bin/tally /usr/local/bin/tally-accounts
