#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# full_disk_test.sh BIN_DIR CONFIGURATION WORK: a disk that is full is said to be, whatever was written to it. Needs a file
# system of its own, which only a user namespace gives; 77 if the machine has none.
set -u
bin=$1 configuration=$2 work=$3
if [ "${4:-}" != inside ]; then
    rm -rf "$work"
    mkdir -p "$work/disk"
    unshare --user --map-root-user --mount mount -t tmpfs -o size=300k none "$work/disk" 2>"$work/why" || {
        cat "$work/why"
        exit 77
    }
    exec unshare --user --map-root-user --mount sh "$0" "$bin" "$configuration" "$work" inside
fi
mount -t tmpfs -o size=300k none "$work/disk"
cd "$work" || exit 1
cat >sweep.yaml <<END
platform: pcie_tree
configuration: $configuration
grid: {model.tau: [0, 0.1]}
columns: [{value: model.end_ms, name: closed form, unit: ms}]
END
failures=0
full() { # full NAME COMMAND...
    name=$1
    shift
    code=0
    "$@" >output 2>&1 || code=$?
    if [ "$code" = 5 ] && grep -q ': error: .*: No space left on device' output && [ "$(wc -l <output)" = 1 ]; then
        echo "ok: $name"
    else
        echo "FAILED: $name: exit code $code; the output:"
        cat output
        failures=$((failures + 1))
    fi
    rm -rf disk/*
}
full 'a report' "$bin/pcie_tree" "$configuration" --out disk/run
full 'a trace' "$bin/pcie_tree" "$configuration" --set level=tlm --set communications[*].size=1MiB --trace --out disk/run
full 'waves' "$bin/pcie_tree" "$configuration" --set level=tlm --set communications[*].size=1MiB --wave vcd --out disk/run
for size in 8k 20k; do
    mount -t tmpfs -o remount,size=$size none "$work/disk"
    full "waves in a file mapped into memory, $size" "$bin/pcie_tree" "$configuration" --set level=tlm \
        --set communications[*].size=1MiB --wave fst --out disk/run
done
# The writer's temporary files are gone when its file is found to be cut short: what is free then would do for it.
platforms=$(dirname "$configuration")/..
for size in 300k 1m; do
    mount -t tmpfs -o remount,size=$size none "$work/disk"
    full "waves whose end is missing, $size" "$bin/numa_gpu" "$platforms/numa_gpu/small.yaml" --wave fst --out disk/run
    full "waves of RTL whose end is missing, $size" "$bin/lane_replay" "$platforms/lane_replay/phases.yaml" \
        --only 'the same without launches' --level rtl --wave fst --out disk/run
done
mount -t tmpfs -o remount,size=300k none "$work/disk"
full 'a sweep' "$bin/contraflow-sweep" sweep.yaml --out disk/sweep
exit "$failures"
