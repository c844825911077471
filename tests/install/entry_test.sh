#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# entry_test.sh PREFIX: the installed `contraflow`, from a folder of the user's own.
set -eu
prefix=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
PATH=$prefix/bin:$PATH
failed() {
    echo "FAILED: $*"
    cat output
    exit 1
}
expect() { # expect EXIT_CODE TEXT COMMAND...: the output must contain the text
    wanted=$1 text=$2
    shift 2
    code=0
    "$@" >output 2>&1 </dev/null || code=$?
    [ "$code" = "$wanted" ] || failed "$*: exit code $code, expected $wanted"
    grep -qF -e "$text" output || failed "$*: '$text' is not said"
}

expect 0 'contraflow run --list' contraflow
expect 0 '  halo_2d ' contraflow run --list
expect 0 'pcie_tree ' contraflow run --list
expect 0 'posted_data ' contraflow sweep --list
expect 0 'communications' contraflow run pcie_tree t2 --print-config
expect 2 "no platform 'pci_tree' (did you mean 'pcie_tree'?)" contraflow run pci_tree
expect 2 "no configuration 'halo_2' for pcie_tree (did you mean 'halo_2d'?)" contraflow run pcie_tree halo_2
expect 2 "'contraflow run --list' names all" contraflow run pci_tree
expect 2 "'contraflow run --list' names those shipped" contraflow run pcie_tree halo_2
expect 2 "a shipped name of 'contraflow sweep --list'" contraflow sweep
expect 2 "'contraflow sweep --list' names those shipped" contraflow sweep posted_dato
# A program names itself as it was started.
expect 0 '  contraflow run pcie_tree mine.yaml ' contraflow run pcie_tree --help
expect 0 '  pcie_tree mine.yaml ' pcie_tree --help
expect 0 '  contraflow sweep mine.yaml ' contraflow sweep --help
expect 0 '  contraflow-sweep mine.yaml ' contraflow-sweep --help
expect 2 "contraflow-sweep: error: unknown option '--ot'" contraflow-sweep --ot
expect 2 "no verb 'swep' (did you mean 'sweep'?)" contraflow swep
expect 2 "'test' needs the sources: ./contraflow test in a checkout" contraflow test
expect 4 'stopped by --limit-time 1us' contraflow run unified_gpu small --limit-time 1us
expect 4 'report: runs/unified_gpu/report.html' contraflow run unified_gpu --limit-time 1us
expect 0 '1 finished' contraflow sweep posted_data --set 'grid={"communications[*].size": [16KiB], tlm.posted_data: [1600B]}'
[ -f runs/sweep-posted_data/report.html ] || failed "the sweep left no page"
printf 'platform: torus_nic\ngrid: {}\n' >gone.yaml
mv "$prefix/bin/torus_nic" "$prefix/bin/torus_nic.aside"
expect 2 'it is installed with the sweep' contraflow-sweep gone.yaml --out gone
mv "$prefix/bin/torus_nic.aside" "$prefix/bin/torus_nic"
# Names that others may have are not taken.
[ ! -e "$prefix/bin/sweep" ] || failed "there is a program that is called plainly sweep"
