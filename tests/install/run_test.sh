#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run_test.sh BUILD_DIR CXX_COMPILER: installs the build into a folder, then builds and runs a project that finds it there.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
build=$1
work=$build/tests/install/work
rm -rf "$work"
cmake --install "$build" --prefix "$work/prefix" >/dev/null
# A header that only works inside of our own tree would be found there: the copies must be enough.
cmake -G Ninja -S "$here" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_CXX_COMPILER="$2" \
    -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$work/build"
"$work/build/user"
rm -rf "$work"
