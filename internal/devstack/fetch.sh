#!/bin/sh
# Fetches the embedded ClickHouse engine for this platform into .engine of the checkout, where it is not there already.
# It comes from npm in the pinned version; npm checks what it downloads against the registry's own checksum, and where the
# package's checksum is known here it is checked against that too.
set -eu

version=26.7.3-stable.1
root=$(cd "$(dirname "$0")/../.." && pwd)
target=${1:-$root/.engine}

case "$(uname -s)-$(uname -m)" in
Linux-x86_64 | Linux-amd64) platform=linux-x64-gnu ;;
Linux-aarch64 | Linux-arm64) platform=linux-arm64-gnu ;;
Darwin-arm64) platform=darwin-arm64 ;;
Darwin-x86_64) platform=darwin-x64 ;;
*)
	echo "fetch.sh: there is no ClickHouse engine for $(uname -s) on $(uname -m); use a ClickHouse server instead (ERRATA_CLICKHOUSE_DSN)" >&2
	exit 1
	;;
esac

case $platform in
linux-x64-gnu) sum=5cff7b98caa7739b59a4a432c11f0dedc2d3b073624e61ebdf4a42e66ce8de35a6ba48ca9f62016bad1cd81fe059435cb858ce3235a8a2b408082a81563e70a7 ;;
*) sum= ;;
esac

stamp="$version $platform"
if [ -f "$target/libchdb.so" ] && [ "$(cat "$target/engine.version" 2>/dev/null)" = "$stamp" ]; then
	echo "fetch.sh: engine $stamp is in $target"
	exit 0
fi
if ! command -v npm >/dev/null 2>&1; then
	echo "fetch.sh: npm is missing: install Node.js with npm, or copy libchdb.so of @chdb/lib-$platform $version into $target" >&2
	exit 1
fi

mkdir -p "$target"
work=$(mktemp -d "$target/fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM

echo "fetch.sh: fetching @chdb/lib-$platform $version (about 180 MB)"
if ! archive=$(cd "$work" && npm pack --silent --ignore-scripts "@chdb/lib-$platform@$version"); then
	echo "fetch.sh: npm could not fetch @chdb/lib-$platform@$version; check the network and npm's registry setting" >&2
	exit 1
fi
if [ -n "$sum" ]; then
	if command -v sha512sum >/dev/null 2>&1; then found=$(sha512sum "$work/$archive"); else found=$(shasum -a 512 "$work/$archive"); fi
	if [ "${found%% *}" != "$sum" ]; then
		echo "fetch.sh: $archive is not the pinned package: its SHA-512 is ${found%% *}" >&2
		exit 1
	fi
fi
tar -xzf "$work/$archive" -C "$work"
for library in libchdb.so libchdb.dylib; do
	if [ -f "$work/package/$library" ]; then mv "$work/package/$library" "$work/found"; fi
done
if [ ! -f "$work/found" ]; then
	echo "fetch.sh: $archive holds no libchdb" >&2
	exit 1
fi
mv "$work/found" "$target/libchdb.so"
echo "$stamp" >"$target/engine.version"
echo "fetch.sh: engine $stamp is in $target"
