#!/bin/sh
# Fetches the chart script that the pages load into web/static/vendor, where it is not there already. It comes from npm in
# the pinned version and is checked against the checksum below; the dashboard embeds it and serves it itself.
set -eu

version=5.6.0
sum=a136d54ec5df2ae121c5fb47a8be71a6b80ba1cd24eee49c030b6bc8281617a84f6052d1c0e50788598718204a3f934f14d903568a4e89ec94a98187f056b790
target=$(cd "$(dirname "$0")" && pwd)/vendor

if [ -f "$target/echarts.min.js" ] && [ "$(cat "$target/echarts.version" 2>/dev/null)" = "$version" ]; then
	echo "fetch.sh: echarts $version is in $target"
	exit 0
fi
if ! command -v npm >/dev/null 2>&1; then
	echo "fetch.sh: npm is missing: install Node.js with npm, or copy dist/echarts.min.js of echarts $version into $target" >&2
	exit 1
fi

work=$(mktemp -d "$target/fetch.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM
if ! archive=$(cd "$work" && npm pack --silent --ignore-scripts "echarts@$version"); then
	echo "fetch.sh: npm could not fetch echarts@$version; check the network and npm's registry setting" >&2
	exit 1
fi
if command -v sha512sum >/dev/null 2>&1; then found=$(sha512sum "$work/$archive"); else found=$(shasum -a 512 "$work/$archive"); fi
if [ "${found%% *}" != "$sum" ]; then
	echo "fetch.sh: $archive is not the pinned package: its SHA-512 is ${found%% *}" >&2
	exit 1
fi
tar -xzf "$work/$archive" -C "$work" package/dist/echarts.min.js
mv "$work/package/dist/echarts.min.js" "$target/echarts.min.js"
echo "$version" >"$target/echarts.version"
echo "fetch.sh: echarts $version is in $target"
