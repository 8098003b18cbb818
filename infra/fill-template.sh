#!/bin/bash
# Prints a template with its words in double braces replaced from the environment: {{gateway}} is FILL_GATEWAY, or the
# content of the file that FILL_GATEWAY_FILE names.
set -eu
text=$(<"$1")
while [[ $text =~ \{\{([a-z]+)\}\} ]]; do
  word=${BASH_REMATCH[1]}
  name=FILL_${word^^}
  file=FILL_${word^^}_FILE
  if [[ -n ${!file-} ]]; then value=$(<"${!file}"); else value=${!name-}; fi
  # Rejects characters that end a string in SQL or JSON, or a line of a Redis configuration.
  [[ $value =~ ^[A-Za-z0-9_%.*+\\\ -]+$ ]] || { echo "$name: use letters, digits, _ and - only" >&2; exit 1; }
  text=${text//"{{$word}}"/"$value"}
done
printf '%s\n' "$text"
