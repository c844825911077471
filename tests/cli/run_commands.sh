#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run_commands.sh ROOT PAGE.md WORK: runs the commands of a page's ```sh blocks, in order, as a reader would, in a
# folder that holds links to the checkout, so that their output (runs/, *.yaml) lands there. A block below
#   <!-- not run: REASON -->
# is left out, the commands of one below <!-- exits with N --> end with that status, and a block below <!-- file: NAME -->
# is a file that the reader has made. `./contraflow test` is the run this test is part of.
set -eu
root=$1
page=$2
work=$3

rm -rf "$work"
mkdir -p "$work"
for entry in "$root"/*; do
    case ${entry##*/} in
    runs | install) ;;
    *) ln -s "$entry" "$work/" ;;
    esac
done

# One command a line, after its exit status: continued lines are joined, comments and left-out blocks are dropped.
commands=$work/.commands
awk -v work="$work" '
    /^```/ {
        if (inside) { inside = 0; file = ""; status = 0 } else { inside = 1; take = ($0 == "```sh" && !left_out) }
        left_out = 0
        next
    }
    inside && file != "" { print >(work "/" file); next }
    /^<!-- file: [^ ]+ -->$/ { file = $3; next }
    inside { if (take) { line = line $0; if (sub(/\\$/, "", line)) next; if (line !~ /^ *(#|$)/) print status + 0, line; line = "" } next }
    /^<!-- exits with [0-9]+ -->$/ { status = $4; next }
    /^<!-- not run: .+ -->$/ { left_out = 1; next }
    /[^ ]/ { left_out = 0 }' "$page" >"$commands"

cd "$work"
ran=0
while read -r wanted command; do
    case $command in
    './contraflow test' | './contraflow test '*'#'*) continue ;;
    esac
    printf '$ %s\n' "$command"
    code=0
    sh -c "$command" </dev/null || code=$?
    [ "$code" = "$wanted" ] || { printf '%s: "%s" ended with exit code %s\n' "$page" "$command" "$code"; exit 1; }
    ran=$((ran + 1))
done <"$commands"
echo "$ran commands of $page"
