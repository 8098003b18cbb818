# Second part of the user data of an app, for Amazon Linux 2023 on arm64 or x86. Runs the image of the app as a systemd
# unit: no root, no capabilities, a read-only root file system, secrets as files in memory. The role of the instance may
# read the secret and pull the image.
set -euo pipefail
case "$REGION$IMAGE$SECRET$SETTINGS" in *"<"*) echo "replace the values in angle brackets in app.sh" >&2; exit 1 ;; esac

dnf install --quiet --assumeyes docker jq
systemctl enable --now docker
install -d -m 0755 /etc/tally
# The database's certificates: Node does not know their authority. Amazon MQ and ElastiCache have certificates that it
# knows.
curl --fail --silent --show-error --retry 10 --retry-all-errors --output /etc/tally/rds-ca.pem \
  https://truststore.pki.rds.amazonaws.com/global/global-bundle.pem
printf '%s\n' "$SETTINGS" > /etc/tally/settings

# Runs before each start, so that a restart takes a changed secret. Each key of the secret becomes a file in memory;
# only uid 1000 reads it. While Secrets Manager is down the files stay, and an image that is here needs no registry.
cat > /usr/local/bin/tally-prepare <<END
#!/bin/bash
set -euo pipefail
umask 077
if secret=\$(timeout 60 aws secretsmanager get-secret-value --region "$REGION" --secret-id "$SECRET" --query SecretString --output text); then
  rm -rf /run/tally && install -d -m 0700 /run/tally
  for key in \$(jq --raw-output 'keys[]' <<<"\$secret"); do
    jq --raw-output --arg key "\$key" '.[\$key]' <<<"\$secret" > "/run/tally/\$key"
    echo "\${key}_FILE=/run/secrets/\$key"
  done > /run/tally.files
  chown -R 1000:1000 /run/tally
fi
if ! docker image inspect "$IMAGE" >/dev/null 2>&1; then
  registry="${IMAGE%%/*}"
  case "\$registry" in
    *.amazonaws.com) aws ecr get-login-password --region "$REGION" | docker login --username AWS --password-stdin "\$registry" ;;
  esac
  docker pull --quiet "$IMAGE"
fi
END
chmod 0755 /usr/local/bin/tally-prepare

published=""
for port in $PORTS; do published="$published --publish $port:$port"; done
cat > /etc/systemd/system/tally.service <<END
[Unit]
Description=tally $APP
Requires=docker.service
After=docker.service network-online.target
Wants=network-online.target
StartLimitIntervalSec=0

[Service]
# After a crash of Docker the name may still be taken.
ExecStartPre=-/usr/bin/docker rm --force tally
ExecStartPre=/usr/local/bin/tally-prepare
ExecStart=/usr/bin/docker run --rm --name tally --init --user 1000:1000 --read-only --tmpfs /tmp:size=64m --cap-drop ALL \\
  --security-opt no-new-privileges --memory $MEMORY$published \\
  --env-file /etc/tally/settings --env-file /run/tally.files \\
  --env NODE_EXTRA_CA_CERTS=/etc/tally/rds-ca.pem --env NODE_COMPILE_CACHE=/tmp/compile-cache \\
  --volume /run/tally:/run/secrets:ro --volume /etc/tally:/etc/tally:ro --log-driver journald $IMAGE
# SIGTERM, then up to DRAIN_MS and STOP_WITHIN_MS for the work in flight.
ExecStop=/usr/bin/docker stop --time 40 tally
TimeoutStartSec=300
TimeoutStopSec=55
Restart=always
RestartSec=2

[Install]
WantedBy=multi-user.target
END
systemctl daemon-reload
systemctl enable --now tally.service

# The instance is ready when the app lives; cloud-init reports a failure otherwise.
for _ in $(seq 60); do
  if curl --fail --silent --output /dev/null "http://127.0.0.1:${PORTS%% *}/health/live"; then exit 0; fi
  sleep 2
done
journalctl --unit tally.service --lines 50 --no-pager >&2
exit 1
