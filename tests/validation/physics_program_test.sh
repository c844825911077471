#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# physics_program_test.sh VALIDATE PAGE.md WORK: experiments with known answers as a user tries them. Each holds, and
# PAGE.md says what the program measures.
set -u
validate=$1
page=$2
work=$3
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

expect 0 '^[0-9]+ experiments: [0-9]+ hold\.' --physics --out run
grep -E 'does not hold|error' run/physics.md
cmp run/physics.md "$page" || fail "$page does not say what the program measures: ./contraflow validate --physics --doc docs/physics.md"
[ "$(grep -c '"id": ' run/physics.json)" -ge 40 ] || fail "fewer than 40 experiments"
for file in report.json report.html config.yaml manifest.json; do [ -s "run/$file" ] || fail "run/$file is missing"; done
# shellcheck disable=SC2013 # a model is one word
for model in $(sed -n 's/^## //p' "$page"); do
    grep -q "physics/$model.svg" "$page" && [ ! -s "$(dirname "$page")/physics/$model.svg" ] && fail "no figure of $model"
done

expect 0 '^pcie.tags .*holds$' --physics PCIE.tags --out one
expect 0 '^pcie.tags ' one/config.yaml
expect 2 "^validate: error: no row 'drum' \(did you mean 'dram'\?\)$" --physics drum
expect 2 "no row 'dram.reads'" dram.reads
expect 2 'name no rows with it' --physics dram --doc other.md
exit $bad
