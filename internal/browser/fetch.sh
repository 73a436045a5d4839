#!/bin/sh
# Fetches axe-core, which the tests let judge every page, into .browser of the checkout, where it is not there already. It
# comes from npm in the pinned version and is checked against the checksum below. Only tests read it: no program embeds it.
set -eu

version=4.14.1
sum=1477dafa598d8d065f273d6af302aa203c02e83131707b7fa648cd41bd3d6b734f8c22a0dab86ee6a6f64b8afbe804b214d36db85a2826965edfb3a0b9d546b5
target=$(cd "$(dirname "$0")/../.." && pwd)/.browser

if [ -f "$target/axe.min.js" ] && [ "$(cat "$target/axe.version" 2>/dev/null)" = "$version" ]; then
	echo "fetch.sh: axe-core $version is in $target"
	exit 0
fi
if ! command -v npm >/dev/null 2>&1; then
	echo "fetch.sh: npm is missing: install Node.js with npm, or copy axe.min.js of axe-core $version into $target" >&2
	exit 1
fi

mkdir -p "$target"
work=$(mktemp -d "$target/fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM
if ! archive=$(cd "$work" && npm pack --silent --ignore-scripts "axe-core@$version"); then
	echo "fetch.sh: npm could not fetch axe-core@$version; check the network and npm's registry setting" >&2
	exit 1
fi
if command -v sha512sum >/dev/null 2>&1; then found=$(sha512sum "$work/$archive"); else found=$(shasum -a 512 "$work/$archive"); fi
if [ "${found%% *}" != "$sum" ]; then
	echo "fetch.sh: $archive is not the pinned package: its SHA-512 is ${found%% *}" >&2
	exit 1
fi
tar -xzf "$work/$archive" -C "$work" package/axe.min.js
mv "$work/package/axe.min.js" "$target/axe.min.js"
echo "$version" >"$target/axe.version"
echo "fetch.sh: axe-core $version is in $target"
