#!/bin/sh
# Checks that the Node of the install starts. Since version 25 its binaries for Linux need libatomic.so.1, which a
# minimal Debian or Ubuntu lacks (docs/decisions/0016). Installs that package, as `pnpm dev` installs missing servers,
# or prints what to do. Runs before and after each install: a Node that does not start breaks the next install too. In
# sh, because it runs without that Node.

node=node_modules/.bin/node
[ -x "$node" ] || exit 0 # not installed yet, or a production install, which uses the machine's Node
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
  # Also after a failed update: one unreachable source fails it, and the package may come from another.
  $as_root $apt update >/dev/null
  $as_root $apt install -y --no-install-recommends libatomic1 >/dev/null
  "$node" --version >/dev/null && exit 0
fi
echo "Node needs libatomic.so.1. Install it (Debian and Ubuntu: sudo apt-get install libatomic1) and run the command again." >&2
exit 1
