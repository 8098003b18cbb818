#!/bin/bash
# Prints a template whose words in double braces are taken from the environment: {{gateway}} is FILL_GATEWAY.
set -eu
text=$(<"$1")
while [[ $text =~ \{\{([a-z]+)\}\} ]]; do
  word=${BASH_REMATCH[1]}
  name=FILL_${word^^}
  value=${!name-}
  # Nothing that would end a text in SQL, JSON or a line of Redis's.
  [[ $value =~ ^[A-Za-z0-9_%.\\\ -]+$ ]] || { echo "$name: use letters, digits, _ and - only" >&2; exit 1; }
  text=${text//"{{$word}}"/"$value"}
done
printf '%s\n' "$text"
