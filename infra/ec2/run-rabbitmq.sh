# Second part of the user data of a RabbitMQ node. Needs the texts of infra/rabbitmq/definitions.json and
# infra/fill-template.sh in DEFINITIONS and FILL_TEMPLATE, as docs/deploy-ec2.md shows.
set -euo pipefail
case "$NODE$ADDRESSES$REGION$SECRET" in *"<"*) echo "replace the values in angle brackets in rabbitmq.sh" >&2; exit 1 ;; esac
image=public.ecr.aws/docker/library/rabbitmq:4.2-management

dnf install --quiet --assumeyes docker jq
systemctl enable --now docker
until [ -b "$DEVICE" ]; do sleep 2; done
# A new volume has no file system; that of an earlier instance keeps its messages.
blkid "$DEVICE" > /dev/null || mkfs.xfs "$DEVICE"
install -d -m 0755 /var/lib/tally-rabbitmq
grep -q /var/lib/tally-rabbitmq /etc/fstab || echo "$DEVICE /var/lib/tally-rabbitmq xfs defaults,nofail 0 2" >> /etc/fstab
mountpoint -q /var/lib/tally-rabbitmq || mount /var/lib/tally-rabbitmq

hosts=""
number=0
for address in $ADDRESSES; do
  number=$((number + 1))
  hosts="$hosts --add-host broker-$number:$address"
done

install -d -m 0755 /etc/tally
cat > /etc/tally/rabbitmq.conf <<'END'
cluster_formation.peer_discovery_backend = classic_config
cluster_formation.classic_config.nodes.1 = rabbit@broker-1
cluster_formation.classic_config.nodes.2 = rabbit@broker-2
cluster_formation.classic_config.nodes.3 = rabbit@broker-3
cluster_partition_handling = pause_minority
# The leaders of new queues are spread over the nodes.
queue_leader_locator = balanced
disk_free_limit.absolute = 4GB
vm_memory_high_watermark.relative = 0.6
load_definitions = /run/secrets/definitions.json
END
echo '[rabbitmq_management,rabbitmq_prometheus].' > /etc/tally/enabled_plugins
printf '%s\n' "$DEFINITIONS" > /etc/tally/definitions.json
printf '%s\n' "$FILL_TEMPLATE" > /usr/local/bin/tally-fill-template
chmod 0755 /usr/local/bin/tally-fill-template

# Before each start: the accounts with their passwords and the cookie of the nodes, as files in memory that only
# RabbitMQ (uid 999) reads.
cat > /usr/local/bin/tally-prepare <<END
#!/bin/bash
set -euo pipefail
umask 077
rm -rf /run/tally && install -d -m 0700 /run/tally
secret=\$(aws secretsmanager get-secret-value --region "$REGION" --secret-id "$SECRET" --query SecretString --output text)
export FILL_NAMESPACE="$NAMESPACE"
for account in admin maintenance gateway writer ranker; do
  export "FILL_\${account^^}=\$(jq --raw-output --arg account "\$account" '.[\$account]' <<<"\$secret")"
done
/usr/local/bin/tally-fill-template /etc/tally/definitions.json > /run/tally/definitions.json
jq --raw-output .cookie <<<"\$secret" > /run/tally/cookie
chown -R 999:999 /run/tally
install -m 0400 -o 999 -g 999 /run/tally/cookie /var/lib/tally-rabbitmq/.erlang.cookie
chown 999:999 /var/lib/tally-rabbitmq
docker pull --quiet $image
END
chmod 0755 /usr/local/bin/tally-prepare

cat > /etc/systemd/system/tally.service <<END
[Unit]
Description=tally RabbitMQ node $NODE
Requires=docker.service
After=docker.service network-online.target
Wants=network-online.target
StartLimitIntervalSec=0

[Service]
# After a crash of Docker the name may still be taken.
ExecStartPre=-/usr/bin/docker rm --force rabbitmq
ExecStartPre=/usr/local/bin/tally-prepare
ExecStart=/usr/bin/docker run --rm --name rabbitmq --network host$hosts --user 999:999 --cap-drop ALL \\
  --security-opt no-new-privileges --ulimit nofile=65536:65536 \\
  --env RABBITMQ_NODENAME=rabbit@broker-$NODE \\
  --volume /var/lib/tally-rabbitmq:/var/lib/rabbitmq --volume /run/tally:/run/secrets:ro \\
  --volume /etc/tally/rabbitmq.conf:/etc/rabbitmq/conf.d/50-tally.conf:ro \\
  --volume /etc/tally/enabled_plugins:/etc/rabbitmq/enabled_plugins:ro \\
  --log-driver journald $image
ExecStop=/usr/bin/docker stop --time 60 rabbitmq
TimeoutStartSec=300
TimeoutStopSec=75
Restart=always
RestartSec=5

[Install]
WantedBy=multi-user.target
END
systemctl daemon-reload
systemctl enable --now tally.service
