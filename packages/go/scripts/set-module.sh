#!/bin/sh
# Puts a module path of your own in the place of the present one: set-module.sh github.com/acme/model-gateway-go
set -eu
case "${1-}" in
*/*) ;;
*)
	echo "usage: set-module.sh <module path>, such as github.com/acme/model-gateway-go" >&2
	exit 2
	;;
esac
cd "$(dirname "$0")/.."
was=$(sed -n 's/^module //p' go.mod)
grep -rlF "$was" --include='*.go' --include='*.md' --include='go.mod' . | while read -r file; do
	sed -i.was "s#$was#$1#g" "$file"
	rm "$file.was"
done
echo "$was is $1 now"
