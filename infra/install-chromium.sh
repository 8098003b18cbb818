#!/bin/sh
# Installs a browser for the page tests where the machine has none. With apt-get, as root or by sudo without a password;
# otherwise it prints what to do, and the tests say that they are skipped.

for browser in chromium chromium-browser google-chrome google-chrome-stable; do
  command -v "$browser" >/dev/null && exit 0
done
as_root=
[ "$(id -u)" -eq 0 ] || as_root="sudo -n"
if command -v apt-get >/dev/null && { [ -z "$as_root" ] || $as_root true 2>/dev/null; }; then
  $as_root apt-get -q update
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends chromium
else
  echo "The page tests need Chromium: install the package chromium, or set CHROMIUM to the path of a browser." >&2
fi
