#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# local_test.sh SWEEP PROBE WORK: sweeps on this machine: mistakes, interruptions of every kind, points that fail.
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
# shellcheck source=tests/sweep/support.sh
. "$(dirname "$0")/support.sh"

# Mistakes are reported before any run.
cat >wrong.yaml <<'END'
platform: probe
set: {nmae: x}
grid: {factor: [1, 5000]}
END
expect 'an unknown key, at its place' 2 "wrong.yaml:2:7: error: unknown key 'nmae'" "$sweep" wrong.yaml --out wrong
check 'the nearest key is named' grep -qF "did you mean 'name'?" output
check 'a value out of range, at its place' grep -qF "wrong.yaml:3:20: error: factor: '5000' is out of range" output
check 'nothing was run' [ ! -e journal ]
check 'nothing was left' [ ! -e wrong ]
expect 'no place for the points' 2 '--out DIR' "$sweep" twelve.yaml
expect 'an unknown engine' 2 "--engine 'slrum'" "$sweep" twelve.yaml --out x --engine slrum
expect 'a time' 2 "unknown option '--limit-time'" "$sweep" twelve.yaml --out x --limit-time 1us
expect 'waves' 2 "--wave: a sweep is many runs; give it to a point's platform, with" \
    "$sweep" twelve.yaml --out waves --wave fst
expect 'a trace' 2 "--trace: a sweep is many runs; give it to a point's platform, with" \
    "$sweep" twelve.yaml --out waves --trace
check 'nothing was run for them' [ ! -e waves.points ]
"$sweep" --help >output
check 'the help has none of them' [ "$(grep -c -e --wave -e --trace output)" = 0 ]

# Any number of jobs gives the same bytes.
expect 'one job' 0 '12 points of probe: 12 finished.' "$sweep" twelve.yaml --out one --jobs 1
check 'one job ran each point once' each_once end 12
rm journal
expect 'three jobs' 0 '12 points of probe: 12 finished.' "$sweep" twelve.yaml --out three --jobs 3
check 'the same bytes with one job and three' same_results one three
check 'keys in front, units in the heading' [ "$(head -n 1 one/sweep.csv)" = \
    'factor,size (KiB),product (B),detail.share,status,exit_code,message,point' ]
check 'the last key changes first' [ "$(sed -n 4p one/sweep.csv | cut -d , -f 1-5)" = '1,1024,1048576,0.5,finished' ]

# Finished points are not run again: not in the same sweep, not in one that is longer and in another order.
rm journal
expect 'again' 0 '12 finished' "$sweep" twelve.yaml --out one
check 'nothing is run again' [ ! -e journal ]
expect 'more points, other order' 0 '15 points of probe: 15 finished.' "$sweep" twelve.yaml --out one \
    --set 'grid={size: [1MiB, 1KiB, 2KiB], factor: [5, 4, 3, 2, 1]}'
check 'only the new ones are run' each_once end 3
check 'cells and curves are what the points have left' /usr/bin/python3 "$here/cells.py" one

# The sweep alone is killed: its running points go on, and the next call waits for them.
for moment in 1 5 11; do
    rm -rf journal killed killed.points
    gated_from "$moment" "$sweep" twelve.yaml --out killed --jobs 2 >/dev/null 2>&1 &
    pid=$!
    wait_until begun "$moment"
    kill -9 "$pid"
    wait "$pid" 2>/dev/null
    check 'its points go on' programs_running
    open_gate
    expect "killed at point $moment, and started again" 0 '12 finished' "$sweep" twelve.yaml --out killed
    check 'no point was begun twice' each_once begin 12
    check 'nothing was lost' same_results three killed
done

# The sweep is killed with all its processes: only unfinished points are run again.
rm -rf journal killed killed.points
gated_from 4 "$sweep" twelve.yaml --out killed --jobs 2 >/dev/null 2>&1 &
pid=$!
wait_until ended 3
wait_until begun 5 # both jobs are held: no process begins while they are listed
# shellcheck disable=SC2046 # one word a process
kill -9 "$pid" $(descendants "$pid") 2>/dev/null
wait "$pid" 2>/dev/null
check 'it had not ended' [ "$(noted end)" = 3 ]
finished killed >sums
lost=$(($(noted begin) - $(wc -l <sums)))
expect 'everything killed, and started again' 0 '12 finished' "$sweep" twelve.yaml --out killed
check 'what was finished is untouched' sha256sum --quiet -c sums
check 'only unfinished points are run again' [ "$(noted begin)" = $((12 + lost)) ]
check 'nothing was lost' same_results three killed

# Snakemake alone is killed: the points that were left out are reported.
rm -rf journal killed killed.points
gated_from 3 "$sweep" twelve.yaml --out killed --jobs 2 >output 2>&1 &
pid=$!
wait_until begun 3
kill -9 "$(descendants "$pid" | tail -n 1)"
open_gate
wait "$pid"
check 'without Snakemake the exit status is 1' [ $? = 1 ]
check 'it is said why points were not run' grep -q 'points were not run: Snakemake ended' output
expect 'and started again' 0 '12 finished' "$sweep" twelve.yaml --out killed
check 'no point was begun twice' each_once begin 12

# Two sweeps at once; the first one stays at its first point.
rm -rf journal killed killed.points
gated_from 1 "$sweep" twelve.yaml --out killed --jobs 1 >first 2>&1 &
pid=$!
wait_until begun 1
expect 'a second one in the same place' 2 "--out killed: a run of process $pid is filling it" \
    "$sweep" twelve.yaml --out killed
expect 'a second one elsewhere' 0 '1 finished' "$sweep" twelve.yaml --out "an other's" --set 'grid={factor: [7]}' --set 'figures=[]'
# Ctrl-C: the results so far are kept.
kill -INT "$pid"
wait "$pid"
check 'interrupted, the exit status is 4' [ $? = 4 ]
check 'the results are said to be partial' grep -q 'Partial results: stopped by SIGINT' first
check 'what was not run is said' grep -q ',not run,' killed/sweep.csv
check 'nothing goes on behind our back' wait_until nothing_runs
expect 'and started again' 0 '12 finished' "$sweep" twelve.yaml --out killed
check 'nothing was lost' same_results three killed

# A point that fails is reported, and does not stop the others.
cat >failing.yaml <<'END'
platform: probe
list: [{end: finish}, {end: crash}, {end: check_fails}, {end: no_progress}, {end: finish, factor: 9}]
rows: variants
columns: [{value: kind}, {value: time, unit: ms}, {value: product}, {value: time, over: product, name: ratio}]
figures: [{x: end, y: [time], series: kind}]
END
rm -f journal
expect 'points that fail' 1 '5 points of probe: 2 finished, 3 failed.' "$sweep" failing.yaml --out failing
check 'each failure is named' grep -q 'end=no_progress, factor=2 failed with exit status 3' output
check 'with what it said last' grep -qF 'crash,2,,,,,failed,5,"probe: internal error: out of luck, ""badly""",' failing/sweep.csv
check 'or with the last line of its report' grep -q 'no_progress,2,.*,failed,3,stuck at 5 ms,' failing/sweep.csv
check 'a row for each variant' [ "$(grep -c '^finish,' failing/sweep.csv)" = 4 ]
check 'ratios' grep -q '^finish,2,dynamic,2.0,128,0.015625,finished,0,,' failing/sweep.csv
expect 'again' 1 '2 finished, 3 failed' "$sweep" failing.yaml --out failing
check 'what failed is tried again, what finished is not' [ "$(noted begin)" = 8 ]

# A column that no point will have is refused before any runs, with all there are.
rm -f journal
expect 'an unknown column' 2 "no point will have a value 'kin'" \
    "$sweep" failing.yaml --out nowhere --set 'columns=[{value: kin}]' --set 'figures=[]'
check 'the nearest is named, and all others' grep -qF "did you mean 'kind'? known: kind, time, product, detail.share" output
expect 'an unknown list' 2 "no point will have a list 'variant'" "$sweep" failing.yaml --out nowhere --set 'rows=variant'
check 'nothing was run for them' [ ! -e journal ]
check 'nothing was left' [ ! -e nowhere ]
expect 'an unknown column in a figure, before anything is run' 2 "neither a swept key nor a column" \
    "$sweep" failing.yaml --out nowhere --set 'figures=[{x: ned, y: [time]}]'
check 'the nearest is named' grep -qF "did you mean 'end'?" output

# A column that only some runs leave stays empty if none of these does.
cat >optional.yaml <<'END'
platform: probe
grid: {factor: [1, 2]}
columns: [{value: product}, {value: only_large}]
figures: [{x: factor, y: [only_large]}]
END
expect 'a value of no run that the platform knows' 0 "no point has a value 'only_large': probe may leave it, and none of" \
    "$sweep" optional.yaml --out optional
check 'its column is empty' grep -q '^1,64,,finished,0,,' optional/sweep.csv
check 'a figure without numbers says so' grep -qF "nothing is drawn in 'only_large by factor': only_large has no numbers" output

# Names of points lead to their pages; what is the same in all is listed.
page_of() { sed -n 's,^ *"\(\.points/[^"]*\)".*,\1,p' "$1/report.json" | head -n 1; }
check 'a point leads to its page' grep -q 'a product' "three$(page_of three)"
check 'points have names' grep -qF '"factor=1, size=1KiB"' three/report.json
check 'fixed settings are shown' grep -qF '"pause"' three/report.json

# The configuration that is left repeats the sweep, from wherever it is.
mkdir -p elsewhere
printf 'factor: 11\n' >base.yaml
printf 'platform: probe\nconfiguration: base.yaml\ngrid: {size: [1B, 2B]}\n' >based.yaml
expect 'from a file beside the sweep' 0 '2 finished' "$sweep" based.yaml --out elsewhere/based
expect 'repeated from what it left' 0 '2 finished' "$sweep" elsewhere/based/config.yaml --out elsewhere/again
check 'with the same results' cmp elsewhere/based/sweep.csv elsewhere/again/sweep.csv

# A rebuilt platform: results of another binary are not used.
rm -f journal
printf x >>bin/probe
expect 'another binary' 0 '12 finished' "$sweep" twelve.yaml --out three
check 'everything is run again' each_once end 12

[ "$failures" = 0 ] || { echo "$failures failed"; exit 1; }
