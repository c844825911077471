# SPDX-License-Identifier: Apache-2.0
# Sourced by the tests of the program `sweep`: support.sh SWEEP PROBE WORK, a folder with both binaries, and checks.
# shellcheck shell=sh
set -u
work=$3
rm -rf "$work"
mkdir -p "$work/bin"
cd "$work" || exit 1
cp "$1" "$2" bin/
# shellcheck disable=SC2034 # used by those who source this
sweep=$work/bin/contraflow-sweep
PROBE_JOURNAL=$work/journal
export PROBE_JOURNAL
failures=0

failed() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}
check() { # check WHAT COMMAND...
    what=$1
    shift
    if "$@"; then echo "ok: $what"; else failed "$what: $*"; fi
}
# expect NAME EXIT_CODE TEXT COMMAND...: the exit code, and a text that the output must contain
expect() {
    name=$1 wanted=$2 text=$3
    shift 3
    code=0
    "$@" >output 2>&1 </dev/null || code=$?
    if [ "$code" = "$wanted" ] && grep -qF -e "$text" output; then
        echo "ok: $name"
    else
        failed "$name: exit code $code, expected $wanted and '$text'; the output:"
        cat output
    fi
}
wait_until() { # wait_until COMMAND...: for up to ten minutes, so that a busy machine fails nothing
    tries=12000
    until "$@"; do
        tries=$((tries - 1))
        [ "$tries" -gt 0 ] || { failed "waited in vain for: $*"; return 1; }
        sleep 0.05
    done
}

noted() { # noted begin|end: the number of points
    touch journal
    grep -c "^$1 " journal
}
begun() { [ "$(noted begin)" -ge "$1" ]; }
ended() { [ "$(noted end)" -ge "$1" ]; }
each_once() { # each_once begin|end COUNT: that number of points, none of them twice
    [ "$(noted "$1")" = "$2" ] && [ "$(grep "^$1 " journal | sort -u | wc -l)" = "$2" ]
}
same_results() { # same_results A B: all files but the manifest
    for file in "$1"/*; do
        case $file in */manifest.json) continue ;; esac
        cmp "$file" "$2/${file##*/}" || return 1
    done
    [ -s "$1/sweep.csv" ]
}
# Points from the N-th on that a sweep begins stay under way until the gate is open.
gate=$work/gate
gated_from() { # gated_from N COMMAND...
    rm -f "$gate"
    from=$1
    shift
    PROBE_GATE=$gate PROBE_GATE_FROM=$from exec "$@"
}
open_gate() { : >"$gate"; }
programs_running() { # the programs of this test that run now, one a line
    readlink /proc/[0-9]*/exe 2>/dev/null | grep "^$work/"
}
nothing_runs() { ! programs_running; }
descendants() ( # descendants PID: the processes that a process has started, directly or not; the oldest last
    # shellcheck disable=SC2013 # one word a file
    for child in $(grep -l "^PPid:[[:space:]]*$1\$" /proc/[0-9]*/status 2>/dev/null); do
        child=${child#/proc/}
        descendants "${child%/status}"
        echo "${child%/status}"
    done
)
finished() { # finished DIR: the checksums of the manifests of the finished points there
    # A run directory that has not got its name yet is not finished, whatever its manifest says.
    grep -l '"code": 0' "$1".points/*/manifest.json | grep -v '\.partial-' | xargs -r sha256sum
}

cat >twelve.yaml <<'END'
title: twelve products
platform: probe
set: {pause: 200ms}
grid:
  factor: [1, 2, 3, 4]
  size: [1KiB, 2KiB, 1MiB]
columns: [{value: product, unit: B}, {value: detail.share}]
figures: [{x: size, y: [product], series: factor, x_scale: log}]
END
