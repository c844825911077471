#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run_test.sh BUILD_DIR CXX_COMPILER: installs the build into a folder, then builds and runs a project that finds it there.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
build=$1
work=$build/tests/install/work
rm -rf "$work"
cmake --install "$build" --prefix "$work/prefix" >/dev/null
sh "$here/entry_test.sh" "$work/prefix"
# A header that only works inside of our own tree would be found there: the copies must be enough.
cmake -G Ninja -S "$here" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_CXX_COMPILER="$2" \
    -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$work/build"
"$work/build/user"

# The documentation's platform: a run, a table, a page; bad input is reported with its place; Ctrl-C and limits end it.
example=$here/../../docs/examples/my_platform
cmake -G Ninja -S "$example" -B "$work/platform" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_CXX_COMPILER="$2" \
    -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$work/platform"
my_platform=$work/platform/my_platform
"$my_platform" "$example/my_platform.yaml" --out "$work/r" >"$work/table"
grep -q "triad: four sockets are .* times as fast as one" "$work/table"
[ "$(grep -cE '^ *(one|two|four) .* verified ' "$work/table")" = 3 ]
grep -q "Where loads spend their time" "$work/r/report.html"
grep -q "four.gpu3" "$work/r/stats.csv"
code=0
"$my_platform" "$example/my_platform.yaml" --set compare=[eight] 2>"$work/err" || code=$?
[ $code = 2 ] && grep -q "did you mean\|one, two, four" "$work/err"
code=0
"$my_platform" "$example/my_platform.yaml" --limit-time 2us >"$work/table" || code=$?
[ $code = 4 ] && grep -q "stopped at 2us" "$work/table"
rm -rf "$work"
