#!/bin/sh
# Installs a browser for the page tests where the machine has none and it can; otherwise it prints what to do, and the
# tests say that they are skipped.

for browser in chromium chromium-browser google-chrome google-chrome-stable; do
  command -v "$browser" >/dev/null && exit 0
done
sh "${0%/*}/install-packages.sh" chromium ||
  echo "The page tests need Chromium: install the package chromium, or set CHROMIUM to the path of a browser." >&2
