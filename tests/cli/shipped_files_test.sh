#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shipped_files_test.sh ROOT BIN WORK: every configuration that is shipped is loaded and runs, for a moment of simulated
# time; every sweep is loaded, its platform takes every point of it, and its first point runs. And every program takes
# the configuration that it prints.
set -u
root=$1
bin=$2
work=$3
rm -rf "$work"
mkdir -p "$work"
cd "$work" || exit 1
failures=0
count=0
failed() {
    echo "FAILED: $1"
    cat output
    failures=$((failures + 1))
}
for file in "$root"/platforms/*/*.yaml; do
    folder=${file%/*}
    platform=${folder##*/}
    wanted=4 # stopped by the limit
    case $platform in
    # The closed-form model knows no time: its searches are too long for this, and its configurations have tests.
    pcie_tree) set -- --set level=tlm --limit-time 200ns ;;
    # These play cases to their end; tlm.yaml, which plays them a thousand times, is run by the tests of litmus.
    litmus | lane_replay | nic_replay)
        [ "$file" != "$root/platforms/litmus/tlm.yaml" ] || continue
        wanted=0
        set --
        ;;
    *) set -- --limit-time 200ns ;;
    esac
    code=0
    "$bin/$platform" "$file" "$@" --jobs 1 --quiet >output 2>&1 </dev/null || code=$?
    [ "$code" = "$wanted" ] || failed "$file ended with status $code, expected $wanted"
    count=$((count + 1))
done
for file in "$root"/platforms/*/sweeps/*.yaml; do
    code=0
    "$bin/contraflow-sweep" "$file" --print-config >output 2>&1 </dev/null || code=$?
    [ "$code" = 0 ] || failed "$file: status $code"
    # The grid as it is printed, with the first value of each list alone.
    first=$(sed -n 's/^grid: \({.*}\) *#.*/\1/p' output | sed 's/\[\([^],]*\),[^]]*\]/[\1]/g')
    code=0
    "$bin/contraflow-sweep" "$file" --set "grid=$first" --jobs 1 --quiet --out "sweep$count" >output 2>&1 </dev/null || code=$?
    { [ "$code" = 0 ] && grep -qF ' 1 finished.' output; } || failed "$file: the first point, $first: status $code"
    count=$((count + 1))
done
# What the help says first prints a configuration that is complete: the program takes it as a file.
for program in numa_gpu unified_gpu pcie_tree torus_nic gpu_shmem lane_replay nic_replay litmus contraflow-sweep; do
    rm -f mine.yaml
    "$bin/$program" --help | sed -n "s,^  \($program .*> mine.yaml\) .*,\1,p" >example
    PATH=$bin:$PATH sh example >output 2>&1 </dev/null || failed "$program: '$(cat example)' prints nothing"
    "$bin/$program" mine.yaml --print-config >output 2>&1 </dev/null || failed "$program does not take what it prints"
    # A tree and its sends have no default at all: they run, too.
    [ "$program" != pcie_tree ] || "$bin/$program" mine.yaml --quiet --out "of_help" >output 2>&1 </dev/null ||
        failed "$program does not run what it prints"
    # Without what has no default, it says so.
    code=0
    "$bin/$program" --print-config >output 2>&1 </dev/null || code=$?
    [ "$code" = 0 ] || grep -qF -e "this prints a configuration: $(cat example)" output ||
        failed "$program: --print-config ends with status $code and does not say what is wanted"
    count=$((count + 1))
done
echo "$count files"
[ "$count" -ge 54 ] || failures=$((failures + 1))
exit "$((failures > 0))"
