#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# timing_diagrams_test.sh ROOT: the usage of scripts/timing-diagrams, and arguments that it refuses in one line.
set -u
failures=0

# expect EXIT_CODE FIRST_LINE ARGUMENT...
expect() {
    wanted=$1 text=$2
    shift 2
    code=0
    said=$("$root/scripts/timing-diagrams" "$@" 2>&1 </dev/null) || code=$?
    case $said in
    "$text"*) ;;
    *) code="$code, $said" ;;
    esac
    [ "$wanted" = 0 ] || [ "$(printf '%s\n' "$said" | wc -l)" = 1 ] || code="$code, more than a line"
    [ "$code" = "$wanted" ] && return
    echo "timing-diagrams $*: status $code"
    failures=$((failures + 1))
}

root=$1
expect 0 "timing-diagrams LANE_REPLAY NIC_REPLAY NIC_REPLAY_PLANTED [--check]: " --help
expect 2 "timing-diagrams: --chek: unknown argument; " --chek
expect 2 "timing-diagrams: other: unknown argument; " lane_replay nic_replay nic_replay_planted other
expect 2 "timing-diagrams: lane_replay: is missing; "
[ "$failures" = 0 ]
