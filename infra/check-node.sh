#!/bin/sh
# Does the Node that comes with the install start? Since version 25 its binaries for Linux need libatomic.so.1, which a small Debian
# or Ubuntu lacks (docs/decisions/0016). Installs the package as `pnpm dev` installs missing servers, or says what to do.
# Runs after each install, and before it: a Node that does not start breaks the next install too. Written for sh, because it runs
# where no Node of ours does.

node=node_modules/.bin/node
[ -x "$node" ] || exit 0 # not installed yet, or a production install, which runs on the machine's own
why=$("$node" --version 2>&1) && exit 0

case $why in
  *libatomic*) ;;
  *)
    echo "The Node that came with the install does not start: $why" >&2
    exit 1
    ;;
esac

as_root=
[ "$(id -u)" -eq 0 ] || as_root="sudo -n"
if command -v apt-get >/dev/null && { [ -z "$as_root" ] || $as_root true 2>/dev/null; }; then
  echo "Node needs libatomic.so.1: installing the package libatomic1 (apt-get)"
  apt="env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=120"
  # Also when the update failed: it does so for any one source, and the package may come from another.
  $as_root $apt update >/dev/null
  $as_root $apt install -y --no-install-recommends libatomic1 >/dev/null
  "$node" --version >/dev/null && exit 0
fi
echo "Node needs libatomic.so.1. Install it (Debian and Ubuntu: sudo apt-get install libatomic1) and run the command again." >&2
exit 1
