#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# slurm_test.sh SWEEP PROBE WORK: sweeps as arrays of jobs, on a cluster of this machine alone.
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
# shellcheck source=tests/sweep/support.sh
. "$here/support.sh"

expect 'where there is no sbatch' 2 'there is no sbatch here' \
    env PATH="$work/bin" "$sweep" twelve.yaml --out nowhere --engine slurm

# A path that is short enough for a socket, whatever the build's is.
cluster=$(mktemp -d)
trap 'sh "$here/one_node_slurm.sh" stop "$cluster"; rm -rf "$cluster"' EXIT
sh "$here/one_node_slurm.sh" start "$cluster" || exit 1
export SLURM_CONF="$cluster/slurm.conf"
in_queue() { squeue --noheader --format=%i | grep -q .; }
queue_is_empty() { ! in_queue; }

expect 'here' 0 '12 points of probe: 12 finished.' "$sweep" twelve.yaml --out here
rm journal
expect 'on the cluster' 0 '12 points of probe: 12 finished.' "$sweep" twelve.yaml --out cluster --engine slurm
check 'each point was run once' each_once end 12
check 'the same bytes with both engines' same_results here cluster
check 'in arrays that the cluster takes' [ "$(cat cluster.points/.sweep/arrays/* | wc -l)" = 12 ]
check 'the largest index is below MaxArraySize' [ "$(wc -l <cluster.points/.sweep/arrays/array-0)" = 4 ]
expect 'again' 0 '12 finished' "$sweep" twelve.yaml --out cluster --engine slurm
check 'nothing is run again' each_once begin 12

# The submitting process is killed: its jobs are found again.
for restart in slurm local; do
    rm -rf journal killed killed.points
    gated_from 3 "$sweep" twelve.yaml --out killed --engine slurm >/dev/null 2>&1 &
    pid=$!
    wait_until begun 3
    # shellcheck disable=SC2046 # one word a process; the daemons are not among them
    kill -9 "$pid" $(descendants "$pid") 2>/dev/null
    wait "$pid" 2>/dev/null
    check 'jobs are left on the cluster' in_queue
    open_gate
    expect "killed, and started again with $restart" 0 '12 finished' "$sweep" twelve.yaml --out killed --engine "$restart"
    wait_until queue_is_empty
    check 'no point was begun twice' each_once begin 12
    check 'nothing was lost' same_results here killed
done

# Ctrl-C takes the jobs from the cluster.
rm -rf journal killed killed.points
gated_from 2 "$sweep" twelve.yaml --out killed --engine slurm --jobs 1 >first 2>&1 &
pid=$!
wait_until begun 2
check 'no more at once than asked for' [ "$(squeue --noheader --states=RUNNING --format=%i | wc -l)" -le 1 ]
kill -INT "$pid"
wait "$pid"
check 'interrupted, the exit status is 4' [ $? = 4 ]
wait_until queue_is_empty
expect 'and started again' 0 '12 finished' "$sweep" twelve.yaml --out killed --engine slurm
check 'nothing was lost' same_results here killed

# Jobs that the cluster refuses.
rm -f journal
expect 'a partition that is not there' 1 'invalid partition' \
    "$sweep" twelve.yaml --out refused --engine slurm --set 'slurm.options=["--partition=none"]'
check 'every point is in the table' [ "$(grep -c ',not run,' refused/sweep.csv)" = 12 ]
check 'nothing was run' [ ! -e journal ]

# A point that fails on the cluster.
expect 'points that fail' 1 '2 points of probe: 1 finished, 1 failed.' \
    "$sweep" twelve.yaml --out failing --engine slurm --set 'grid={end: [finish, crash]}' --set 'figures=[]'
check 'with what it said last' grep -q 'crash,.*,failed,5,"probe: internal error: out of luck' failing/sweep.csv

[ "$failures" = 0 ] || { echo "$failures failed"; exit 1; }
