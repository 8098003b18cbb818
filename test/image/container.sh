#!/bin/sh
# Runs a program as a container with a read-only root file system would: container.sh ROOT USER WORKDIR PROGRAM
# [ARGUMENT]… ROOT has the files that the image adds to its base; the base is this machine's. In a mount namespace of
# its own, which ends with the program.
set -eu
root=$1 user=$2 workdir=$3
shift 3
mount --bind "$root" "$root"
for place in /bin /lib /lib64 /usr/bin /usr/lib /usr/lib64 /etc /dev /proc; do
  [ -d "$place" ] || continue
  mkdir -p "$root$place"
  mount --rbind "$place" "$root$place"
done
mount -o remount,bind,ro "$root"
exec chroot ${user:+--userspec="$user"} "$root" /usr/bin/env --chdir="$workdir" "$@"
