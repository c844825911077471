#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# program_test.sh VALIDATE PAGE.md WORK [LETTERS]: the program as a user calls it, and PAGE.md as it writes it. With LETTERS:
# what PAGE.md says of the rows that begin with one of them. Rows that run every workload many times are left to the writer of
# the page. Experiments with known answers: physics_program_test.sh.
set -u
validate=$1
page=$2
work=$3
letters=${4:-}
rm -rf "$work"
mkdir -p "$work"
cd "$work" || exit 1
bad=0
fail() {
    echo "$*"
    bad=1
}
# expect EXIT_CODE PATTERN ARGUMENTS...
expect() {
    code=$1
    pattern=$2
    shift 2
    "$validate" "$@" >out.txt 2>&1
    got=$?
    [ "$got" = "$code" ] || fail "validate $*: exit $got instead of $code: $(head -n 3 out.txt)"
    grep -qE -e "$pattern" out.txt || fail "validate $*: nothing like '$pattern' in: $(head -n 8 out.txt)"
}

# What the page says of these rows is what a run of them writes, and the other way round.
long='G5a G5b G5c G7a G7b G8b L6 L7a L7b L7c L8a L8b'
if [ -n "$letters" ]; then
    ids=$(sed -n "s/^| \\([$letters][0-9a-z]*\\) |.*/\\1/p" "$page")
    # shellcheck disable=SC2086 # one word a row
    rows=$(printf '%s\n' $ids | grep -vxF "$(printf '%s\n' $long)")
    # shellcheck disable=SC2086 # one word a row
    expect 0 "^$(echo $rows | cut -d ' ' -f 1) " $rows --out run
    again='./contraflow validate --doc docs/validation.md'
    grep -vxF -f "$page" run/validation.md && fail "$page does not say what the program measures: $again"
    # The text around the rows is written whatever rows are run.
    grep -vxF -f run/validation.md "$page" | grep -vE '^(\| [A-Z][0-9a-z]+ \||- \*\*[A-Z][0-9a-z]+\*\*)' &&
        fail "$page says what the program does not: $again"
    for id in $rows; do
        for line in "^| $id |" "^- \\*\\*$id\\*\\*"; do
            grep -e "$line" "$page" >said.txt
            grep -vxF -f run/validation.md said.txt && fail "$page says what the program does not: $again"
        done
        grep -qE "^$id +[^ ]" out.txt || fail "no line for $id"
        grep -qF "\"id\": \"$id\"" run/validation.json || fail "validation.json has no $id"
    done
    for file in report.json report.html config.yaml stats.csv manifest.json; do
        [ -s "run/$file" ] || fail "run/$file is missing"
    done
    exit $bad
fi
for id in A1 A2a A3a A4 A5 A6a A6b A7a A8a A9a A10 A11a A12 A13 D1 D2 F1 F2 F3 F4 F5 G1a G2a G3 G4 G6 G8a G9 G10 L1a L1b L1c L2a L2b L3 L4 L5 L9 L10 M1a M1b M2a M2b M3 M4 M5a M5b M5c M6a M6b M6c M6d M7 M8 M9a M9b P1 P2 P3 P4a P5a P6a P6b P7a P7b P8a P9a P9b P10a P11 Ba R1a R2b $long; do
    grep -q "^| $id |" "$page" || fail "$page has no $id"
done
grep -E '^\| [A-Z][0-9a-z]+ \|' "$page" | grep -vE '^\| [ABDFGLMPR]' && fail "no test measures these rows"

expect 0 '^P6a .*as derived' p6A
! grep -q '^P6b' out.txt || fail "p6A measured P6b as well"
expect 0 '^P4b .*reproduced$' P4 P1 --strict
for id in P1 P4a; do grep -q "^$id " out.txt || fail "P4 P1 did not measure $id"; done
expect 0 '^P1 ' P1 --out part
expect 0 '^P1 ' part/config.yaml
! grep -q '^P2' out.txt || fail "the configuration of a run did not repeat it"
expect 2 "^validate: error: unknown option '--limit-time'" P1 --limit-time 1us
expect 2 "^validate: error: no row 'P66' \(did you mean 'P6'\?\)$" P66
expect 2 "no row 'everything'" everything
expect 2 'name no rows with it' P1 --doc other.md
expect 2 "did you mean '--strict'" --strikt
exit $bad
