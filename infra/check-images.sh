#!/bin/sh
# Says for each image of the compose files and the Dockerfile whether its registry has another one under the tag: other
# than the digest in the file (mysql:8.4@sha256:…), else than the image on this machine. Exits with 1 if one has, with 2
# without an answer. Needs docker with buildx.
cd "${0%/*}" || exit 2
status=0
for image in $(sed -n 's/^ *\(image: \|ARG NODE_IMAGE=\)\([a-z][^$ ]*\)$/\2/p' compose*.yaml Dockerfile | sort -u); do
  tag=${image%@*}
  if ! digest=$(docker buildx imagetools inspect --format '{{printf "%s" .Manifest.Digest}}' "$tag" 2>&1); then
    echo "$tag: cannot be compared with its registry: $(echo "$digest" | tail -n 1)" >&2
    exit 2
  fi
  case "$image $(docker image inspect --format '{{.RepoDigests}}' "$tag" 2>/dev/null)" in
    *"$digest"*) echo "$tag: current" ;;
    *) echo "$tag: now $tag@$digest"; status=1 ;;
  esac
done
exit $status
