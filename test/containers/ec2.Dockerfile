# A machine for the user data of infra/ec2: systemd with a Docker engine, and a registry in place of ECR. What AWS has is
# imitated: `aws` gives the secret, `dnf` finds its packages installed, and `curl` gives the machine's certificates.
ARG NODE_IMAGE=node:slim
FROM ${NODE_IMAGE}
RUN apt-get -o Acquire::Check-Valid-Until=false update -qq \
 && apt-get install -qq -y --no-install-recommends \
      ca-certificates curl docker.io docker-cli docker-registry iptables jq systemd-sysv \
 && systemctl mask systemd-udevd.service systemd-networkd.service

COPY <<"END" /etc/docker/registry/config.yml
version: 0.1
storage: { filesystem: { rootdirectory: /var/lib/docker-registry } }
http: { addr: "127.0.0.1:5000" }
END

# The containers of this engine do not know the names of the machine's network.
COPY --chmod=755 <<"END" /usr/local/bin/aws
#!/bin/bash
[ "$2" = get-secret-value ] || exit 1
for file in /infra/secrets/"$6"-*; do
  value=$(<"$file") host=${value#*@} host=${host%%:*} address=$(getent hosts "$host")
  echo "${file##*/"$6"-} ${value/@$host:/@${address%% *}:}"
done | jq --raw-input --null-input '[inputs | split(" ") | {(.[0] | ascii_upcase | gsub("-"; "_")): .[1]}] | add'
END
COPY --chmod=755 <<"END" /usr/local/bin/dnf
#!/bin/sh
command -v docker jq
END
COPY --chmod=755 <<"END" /usr/local/bin/curl
#!/bin/sh
case "$*" in
  *"--output /etc/tally/rds-ca.pem"*) cp /etc/ssl/certs/ca-certificates.crt /etc/tally/rds-ca.pem ;;
  *) exec /usr/bin/curl "$@" ;;
esac
END

# run-user-data APP...: puts the images from stdin into the registry, and runs the user data of each app in turn.
COPY --chmod=755 <<"END" /usr/local/bin/run-user-data
#!/bin/bash
set -euo pipefail
until docker info && curl --fail http://localhost:5000/v2/; do sleep 1; done &>/dev/null
docker load
for app in "$@"; do
  docker tag "localhost/tally-$app:test" "localhost:5000/tally/$app:test"
  docker push "localhost:5000/tally/$app:test"
  values="s|<app>|$app|; s|<registry>|localhost:5000|; s|<tag>|test|; s|<name or ARN[^>]*>|$app|; s|<[^>]*>|172.16.0.0/12|"
  systemctl stop tally 2>/dev/null || true
  { sed "$values" "/infra/ec2/app.sh"; cat /infra/ec2/run-app.sh; } >/root/user-data
  bash /root/user-data
done
END
VOLUME /var/lib/docker
# The argument lets systemd 257 run with version 1 of cgroups.
CMD ["/sbin/init", "SYSTEMD_CGROUP_ENABLE_LEGACY_FORCE=1"]
