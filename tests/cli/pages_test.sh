#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# pages_test.sh ROOT: links of the pages lead somewhere; every page is listed in docs/README.md, but those of workloads, which
# have a list of their own that catalogue_test.cpp checks; and a block below <!-- from: FILE --> is a part of that file.
set -u
cd "$1" || exit 1
bad=0
for page in *.md $(find docs -name "*.md"); do
    [ -f "$page" ] || continue
    folder=$(dirname "$page")
    # [text](target#anchor) and <img src="target">, outside of code blocks
    targets=$(awk '/^```/ { code = !code; next } !code' "$page" |
        grep -oE '\]\([^)# ]+|src="[^"]+"' | sed -E 's/^\]\(//; s/^src="//; s/"$//')
    for target in $targets; do
        case $target in
        http://* | https://*) continue ;;
        esac
        [ -e "$folder/$target" ] || { echo "$page: '$target' does not exist"; bad=1; }
    done
    shown_files=$(awk '/^<!-- from: / { print $3 }' "$page")
    for from in $shown_files; do
        shown=$(awk -v from="<!-- from: $from -->" '
            /^```/ { if (inside) exit; inside = found; next }
            inside { print } $0 == from { found = 1 }' "$page")
        case $(cat "$folder/$from") in
        *"$shown"*) ;;
        *) echo "$page: $from does not have the lines that are shown as its own"; bad=1 ;;
        esac
    done
    case $page in
    docs/README.md | docs/workloads/*) ;;
    docs/*) grep -qF "(${page#docs/})" docs/README.md || { echo "docs/README.md does not list ${page#docs/}"; bad=1; } ;;
    esac
done
# The reference of kernels has every public function of a wavefront.
missing=$(sed -n '/^public:/,/^private:/p' tlm/gpu/kernel/wave.h | grep -oE '[a-z_0-9]+\([^()]*\) const' | sed 's/(.*//' |
    sort -u | while read -r name; do grep -qE "[\`.]${name}[(<\`]" docs/wave.md || echo "$name"; done)
[ -z "$missing" ] || { echo "docs/wave.md lacks: $missing"; bad=1; }
# A picture shows what there is.
for picture in docs/*.svg docs/*/*.svg; do
    ! grep -n 'to come\|later on' "$picture" || { echo "$picture promises what is not there"; bad=1; }
done
exit $bad
