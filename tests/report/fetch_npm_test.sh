#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# scripts/fetch-npm against a registry of files: fetch, second call, resumption, wrong checksum, missing package.
#   fetch_npm_test.sh PROJECT_DIR
set -eu
script=$1/scripts/fetch-npm
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

fail() {
    printf 'FAILED: %s\n' "$*" >&2
    exit 1
}

# A small package with what the script takes, in a registry, and its lock file in a project of its own.
mkdir -p "$dir/in/package/dist" "$dir/in/package/licenses" "$dir/registry/echarts/-" "$dir/home"
head -c 300000 /dev/urandom | base64 >"$dir/in/package/dist/echarts.min.js"
for name in LICENSE NOTICE licenses/LICENSE-d3; do echo "text of $name" >"$dir/in/package/$name"; done
archive=$dir/registry/echarts/-/echarts-9.8.7.tgz
tar -czf "$archive" -C "$dir/in" package
sum=$(sha512sum <"$archive")
integrity=$(printf '%s' "${sum%% *}" | sed 's/../\\x&/g' | xargs -0 /usr/bin/printf | base64 -w 0)

project() {   # project NAME VERSION INTEGRITY: a project folder with the script and a lock file
    mkdir -p "$dir/$1/scripts" "$dir/$1/platforms/report"
    cp "$script" "$dir/$1/scripts/"
    sed -e '/"node_modules\/echarts"/,/}/s/"version": ".*"/"version": "'"$2"'"/' \
        -e '/"node_modules\/echarts"/,/}/s,"integrity": ".*","integrity": "'"$3"'",' \
        "$project_lock" >"$dir/$1/platforms/report/package-lock.json"
}
project_lock=$1/platforms/report/package-lock.json
unset npm_config_registry NPM_CONFIG_REGISTRY NPM_CONFIG_USERCONFIG || true
export HOME="$dir/home"
printf 'registry = https://elsewhere.invalid/\nregistry="file://%s/registry/"\n' "$dir" >"$HOME/.npmrc"
got() { cmp -s "$dir/$1/build/npm/echarts-9.8.7/echarts.min.js" "$dir/in/package/dist/echarts.min.js"; }

project plain 9.8.7 "sha512-$integrity"
"$dir/plain/scripts/fetch-npm" >"$dir/out" || fail "the first call"
got plain || fail "the file is not the package's"
for name in LICENSE NOTICE LICENSE-d3; do
    [ -s "$dir/plain/build/npm/echarts-9.8.7/$name" ] || fail "no $name"
done
grep -q 'echarts-9.8.7.tgz' "$dir/out" || fail "it does not say what it downloads"

mv "$archive" "$archive.away"
"$dir/plain/scripts/fetch-npm" >"$dir/out" 2>&1 || fail "the second call"
[ ! -s "$dir/out" ] || fail "the second call is not silent"

project none 9.8.7 "sha512-$integrity"
code=0; "$dir/none/scripts/fetch-npm" >"$dir/out" 2>&1 || code=$?
[ "$code" = 2 ] || fail "exit $code without a package"
grep -q '^fetch-npm: cannot download' "$dir/out" || fail "no clear line without a package"
mv "$archive.away" "$archive"

project resumed 9.8.7 "sha512-$integrity"
mkdir -p "$dir/resumed/build/npm"
head -c 100000 "$archive" >"$dir/resumed/build/npm/echarts-9.8.7.tgz"
"$dir/resumed/scripts/fetch-npm" >/dev/null || fail "resumption"
got resumed || fail "resumption gave another file"

project damaged 9.8.7 "sha512-$integrity"
mkdir -p "$dir/damaged/build/npm"
head -c 90000 /dev/zero >"$dir/damaged/build/npm/echarts-9.8.7.tgz"
"$dir/damaged/scripts/fetch-npm" >/dev/null || fail "a damaged part"
got damaged || fail "a damaged part gave another file"

project wrong 9.8.7 "sha512-$(printf 'A%.0s' $(seq 86))=="
code=0; "$dir/wrong/scripts/fetch-npm" >"$dir/out" 2>&1 || code=$?
[ "$code" = 2 ] || fail "exit $code for a wrong checksum"
grep -q 'does not have the checksum' "$dir/out" || fail "no clear line for a wrong checksum"
[ ! -e "$dir/wrong/build/npm/echarts-9.8.7" ] || fail "a wrong package was unpacked"

export npm_config_registry="file://$dir/registry"
echo 'registry=https://elsewhere.invalid/' >"$HOME/.npmrc"
project environment 9.8.7 "sha512-$integrity"
"$dir/environment/scripts/fetch-npm" >/dev/null || fail "the environment's registry"
got environment || fail "the environment's registry gave another file"
echo "fetch-npm: all checks passed"
