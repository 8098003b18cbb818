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

echo "Node needs libatomic.so.1"
/bin/sh "${0%/*}/install-packages.sh" libatomic1 && "$node" --version >/dev/null && exit 0
echo "Node needs libatomic.so.1. Install it (Debian and Ubuntu: sudo apt-get install libatomic1) and run the command again." >&2
exit 1
