#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# two_compilers.sh ROOT BUILD_A BUILD_B WORK: binaries of two compilers leave the same bytes for the same configuration.
set -eu
root=$1
first=$2
second=$3
work=$4
rm -rf "$work"
mkdir -p "$work"
[ -x "$second/bin/pcie_tree" ] || { echo "no binary of the second compiler in $second"; exit 1; }
# Name and number of sends, which are cut to 1 MiB: the sanitized binary is slow.
for configuration in "halo_2d 0" "t2 4" "server_gen5 10"; do
    sends=${configuration#* }
    configuration=${configuration% *}
    file=$root/platforms/pcie_tree/$configuration.yaml
    set --
    [ "$sends" = 0 ] || set -- --set level=both --set tlm.faults.bit_error_rate=1e-9
    while [ "$sends" -gt 0 ]; do
        sends=$((sends - 1))
        set -- "$@" --set "communications[$sends].size=1MiB"
    done
    "$first/bin/pcie_tree" "$file" --quiet --out "$work/a-$configuration" "$@"
    "$second/bin/pcie_tree" "$file" --quiet --out "$work/b-$configuration" "$@"
    for output in report.json stats.csv report.html; do
        cmp "$work/a-$configuration/$output" "$work/b-$configuration/$output"
    done
done
numa="$root/platforms/numa_gpu/small.yaml"
for binaries in "$first a" "$second b"; do
    "${binaries% *}/bin/numa_gpu" "$numa" --quiet --out "$work/${binaries#* }-numa" --set 'compare=[dynamic]' --set 'also=[many_to_one]'
done
for output in report.json stats.csv report.html; do cmp "$work/a-numa/$output" "$work/b-numa/$output"; done
few='grid={"communications[*].size": [16KiB, 64KiB], tlm.posted_data: [1600B, 6400B]}'
sweep=$root/platforms/pcie_tree/sweeps/posted_data.yaml
"$first/bin/contraflow-sweep" "$sweep" --quiet --jobs 1 --out "$work/a-sweep" --set "$few"
"$second/bin/contraflow-sweep" "$sweep" --quiet --jobs 2 --out "$work/b-sweep" --set "$few"
for output in report.json sweep.csv report.html; do cmp "$work/a-sweep/$output" "$work/b-sweep/$output"; done
rm -rf "$work"
