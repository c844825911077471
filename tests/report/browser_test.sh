#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The report page in a headless browser: everything is drawn, and there are no errors.
#   browser_test.sh RENDER_FILE DATA_DIR [CHROMIUM]
set -eu
render=$1 data=$2 chromium=${3:-}
case $chromium in
    '' | *NOTFOUND)
        chromium=$(command -v chromium) || {
            echo "FAILED: there is no chromium: ./contraflow test installs it" >&2
            exit 1
        } ;;
esac
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failures=0

check() {   # check WHAT GOT WANTED
    if [ "$2" != "$3" ]; then
        printf 'FAILED: %s: %s, not %s\n' "$1" "$2" "$3" >&2
        failures=$((failures + 1))
    fi
}
at_least() {   # at_least WHAT GOT LEAST
    if [ "$2" -lt "$3" ]; then
        printf 'FAILED: %s: %s, fewer than %s\n' "$1" "$2" "$3" >&2
        failures=$((failures + 1))
    fi
}

open_page() {   # open_page NAME [WIDTH]: the document $dir/NAME.html as the browser leaves it, in $dir/NAME.dom
    timeout 900 "$chromium" --headless --no-sandbox --disable-gpu --disable-quic --disable-dev-shm-usage \
        --no-first-run --disable-background-networking --disable-component-update --disable-sync \
        --user-data-dir="$dir/profile" --window-size="${2:-1280}",900 --virtual-time-budget=5000 \
        --dump-dom "file://$dir/$1.html" >"$dir/$1.dom" 2>"$dir/$1.log" || {
        echo "FAILED: the browser ended with an error:" >&2
        tail -n 5 "$dir/$1.log" >&2
        exit 1
    }
}
show() {   # show NAME: the page of DATA_DIR/NAME.json
    "$render" "$data/$1.json" "$dir/$1.html"
    open_page "$1"
}
root_attribute() { sed -n "2s/.* data-$2=\"\([^\"]*\)\".*/\1/p" "$dir/$1.dom"; }
# in_figure NAME ID PATTERN: how often a pattern occurs in the figure of that id.
in_figure() {
    tr '\n' ' ' <"$dir/$1.dom" | sed 's/<figure/\n<figure/g; s/<\/figure>/&\n/g' | grep "^<figure id=\"$2\"" |
        grep -o -e "$3" | wc -l
}
occurrences() { grep -o -e "$2" "$dir/$1.dom" | wc -l; }

show sample
check "sample: ready" "$(root_attribute sample ready)" true
check "sample: errors" "$(root_attribute sample errors)" '[]'
check "sample: figures that failed" "$(occurrences sample '<p class="failed"')" 0
for id in curve histogram timeline reasons factors pairs numbered traffic agreement slowdown; do
    check "sample: drawings in $id" "$(in_figure sample $id '<svg ')" 1
done
# The number of marks is that of the data: lines, bars, points, bars in time; text of axes and labels.
at_least "sample: the line of curve" "$(in_figure sample curve '<path d="M[^"]\{500,\}"')" 1
check "sample: marks of curve" "$(in_figure sample curve '>fastest: 36.08 ms<\|>slowest: 68.84 ms<\|own order: 58.1 ms<')" 3
at_least "sample: bars of histogram" "$(in_figure sample histogram '<path d="M[^"]*Z" fill="#0072b2"')" 30
at_least "sample: segments of reasons" "$(in_figure sample reasons '<path d="M[^"]*Z" fill="#')" 40
at_least "sample: lines of factors" "$(in_figure sample factors '<path d="M[^"]*" fill="none" stroke="#\(0072b2\|d55e00\|009e73\)"')" 3
at_least "sample: different colours of pairs" "$(tr '\n' ' ' <"$dir/sample.dom" | sed 's/<figure/\n<figure/g; s/<\/figure>/&\n/g' |
    grep '^<figure id="pairs"' | grep -o '<path d="M[^"]*Z" fill="[^"]*"' | sed 's/.*fill=//' | sort -u | wc -l)" 8
check "sample: GPU 2 has the second colour" "$(in_figure sample numbered '<path d="M[^"]*" fill="none" stroke="#d55e00"')" 1
at_least "sample: points of agreement" "$(in_figure sample agreement '<path d="[^"]*" [^>]*fill="#\(0072b2\|d55e00\)"')" 160
at_least "sample: bars of slowdown" "$(in_figure sample slowdown '<path d="M[^"]*Z" fill="#')" 12
at_least "sample: bars of timeline" "$(in_figure sample timeline '<path d="M[^"]*Z" fill="#')" 21
at_least "sample: labels of timeline" "$(in_figure sample timeline '→gpu[0-7]</text>')" 15
check "sample: nodes of the tree" "$(in_figure sample tree-fastest '<g class="node"')" 16
check "sample: links of the tree" "$(in_figure sample tree-fastest '<g class="link"')" 15
check "sample: links of the tree that limit" "$(in_figure sample tree-fastest '<g class="link" data-limit')" 0
check "sample: the legend tells that none limits" "$(in_figure sample tree-fastest '>named as the limit: none</text>')" 1
at_least "sample: meters of the tree" "$(in_figure sample tree-fastest 'class="load"')" 28
check "sample: rows of the table" "$(in_figure sample sends '<tr><td')" 20
check "sample: steps" "$(in_figure sample fastest-order '<li>')" 20
at_least "sample: exports" "$(occurrences sample '>SVG</button>')" 9

# Its controls: sorting, filtering, data tables, themes, and every export.
{ sed '/^<\/body>/,$d' "$dir/sample.html"; echo '<script>'; cat "${0%/*}/exercise.js"; printf '</script></body></html>\n'; } \
    >"$dir/used.html"
open_page used
check "used: done" "$(root_attribute used test-done)" true
check "used: errors" "$(root_attribute used errors)" '[]'
for what in sorted reversed restored; do check "used: $what" "$(root_attribute used test-$what)" true; done
check "used: statistics found" "$(root_attribute used test-filtered)" 1
check "used: rows of a chart's data" "$(root_attribute used test-data-rows)" 300
check "used: light" "$(root_attribute used test-light)" "light #0072b2"
check "used: dark" "$(root_attribute used test-dark)" "dark #4ba3e3"
check "used: tooltips of charts" "$(root_attribute used test-tips)" 10
check "used: tooltip of a node" "$(root_attribute used test-tip-node)" "root complexroot complexE5-2680 v3"
case $(root_attribute used test-tip-link) in
    "k80_0 – sw0"*"up (to sw0): 62"*"down (to k80_0): 100"*) ;;
    *) check "used: tooltip of a link" "$(root_attribute used test-tip-link)" "the link's loads" ;;
esac
check "used: light on paper, one width" "$(root_attribute used test-paper)" "#0072b2 1"
check "used: dark again on the screen" "$(root_attribute used test-screen)" "#4ba3e3"
check "used: drawings saved" "$(root_attribute used test-drawings)" 11
check "used: tables saved" "$(root_attribute used test-tables)" 15
check "used: bad exports" "$(root_attribute used test-bad-exports)" ""
check "used: CSV" "$(root_attribute used test-csv)" "series,&quot;order, from the fastest&quot;,time (ms)|closed form,1,36.08"

# Checks that hold are folded away; violated ones are not.
check "sample: checks are folded" "$(occurrences sample '<details class="checks"><summary')" 1

# More names in one figure than the palette has colours.
show twelve_names
check "twelve names: errors" "$(root_attribute twelve_names errors)" '[]'
check "twelve names: different colours" "$(tr '\n' ' ' <"$dir/twelve_names.dom" | sed 's/<figure/\n<figure/g; s/<\/figure>/&\n/g' |
    grep '^<figure id="twelve"' | grep -o '<path d="M[^"]*Z" fill="#[^"]*"' | sed 's/.*fill=//' | sort -u | wc -l)" 12

# A logarithmic axis of few whole numbers has each of them, the last one too.
show node_counts
check "node counts: errors" "$(root_attribute node_counts errors)" '[]'
for nodes in 1 2 4 8 16; do
    check "node counts: label $nodes" "$(in_figure node_counts by_nodes ">$nodes</text>")" 1
done

# One value on a logarithmic axis is in its middle.
show one_size
check "one size: errors" "$(root_attribute one_size errors)" '[]'
for size in 16 32 64; do
    check "one size: label $size" "$(in_figure one_size by_size ">$size&nbsp;B</text>")" 1
done

# What sweeps have: a line at 1 above all ratios, names of points within the figure, pages of points, coloured verdicts.
show sweep
check "sweep: errors" "$(root_attribute sweep errors)" '[]'
check "sweep: the line at 1" "$(in_figure sweep ratio '>1: both the same</text>')" 1
check "sweep: names of points" "$(in_figure sweep named '>first point</text>\|>a point with a rather long name at the right edge</text>')" 2
check "sweep: pages of points" "$(in_figure sweep points '<a href="file://[^"]*[^/]\.points/a%20b/report.html">n=1</a>')" 1
check "sweep: verdicts" "$(in_figure sweep points '<td class="good">finished</td>\|<td class="bad">failed</td>')" 2
for figure in first last; do
    at_least "sweep: the colour of full rate, $figure" "$(in_figure sweep $figure '<path d="M[^"]*Z" fill="#7a828c"')" 1
done

# A page is as wide as its window, on a desk and on a phone: what is wider moves within itself.
# Long text in a table has room, a tree's legend is no wider than the tree, and no word of a drawing is cut. A window is
# 500 pixels wide at least, so that the page is in a frame of the wanted width.
measured='<script>addEventListener("load", () => setTimeout(() => {
    const noted = {};
    const right = (svg, what) => Math.max(...[...svg.querySelectorAll(what)].map((e) => e.getBoundingClientRect().right));
    noted.beyond = document.documentElement.scrollWidth - innerWidth;
    noted.row = Math.max(0, ...[...document.querySelectorAll("tbody tr")].map((row) => row.clientHeight));
    noted.legend = Math.max(0, ...[...document.querySelectorAll(".tree svg")].map((svg) =>
        Math.ceil(right(svg, ":scope > text") - right(svg, "g.node"))));
    noted.cut = [...document.querySelectorAll("svg text")].filter((text) => {
        const [word, all] = [text, text.closest("svg")].map((e) => e.getBoundingClientRect());
        return word.width > 0 && (word.right > all.right + 1 || word.left < all.left - 1);
    }).length;
    parent.postMessage(noted, "*");
}, 2500));</script>'
show four_sends
check "four sends: errors" "$(root_attribute four_sends errors)" '[]'
# The links of its headline, at 83 %, in the colour of the legend.
check "four sends: links that limit" "$(in_figure four_sends model-tree '<g class="link" data-limit')" 2
for way in up down; do
    check "four sends: the one that limits $way" "$(in_figure four_sends model-tree "<g class=\"link\" data-limit=\"$way\"")" 1
done
check "four sends: red meters" "$(in_figure four_sends model-tree 'class="load"[^>]*fill="#c8401a"')" 2
check "four sends: the legend" "$(in_figure four_sends model-tree '>named as the limit</text>')" 1
for case in 'sweep 375' 'one_size 375' 'four_sends 375' 'sample 375' 'sample 1400'; do
    page=${case% *} width=${case#* }
    { sed '/^<\/body>/,$d' "$dir/$page.html"; printf '%s</body></html>\n' "$measured"; } >"$dir/framed.html"
    cat >"$dir/measured.html" <<END
<!doctype html>
<html><body><iframe src="framed.html" style="border: 0; width: ${width}px; height: 800px"></iframe>
<script>addEventListener("message", (e) => Object.assign(document.documentElement.dataset, e.data))</script></body></html>
END
    open_page measured 1500
    beyond=$(root_attribute measured beyond)
    [ "${beyond:-1}" -le 0 ] || check "$page: pixels beyond the right edge at $width" "$beyond" 0
    row=$(root_attribute measured row) legend=$(root_attribute measured legend)
    check "$page: words that are cut at $width" "$(root_attribute measured cut)" 0
    [ "${row:-999}" -le 130 ] || check "$page: height of the highest row at $width" "$row" "at most 130"
    [ "$width" -gt 900 ] || [ "${legend:-1}" -le 0 ] || check "$page: pixels of the legend beyond the tree at $width" "$legend" 0
done

# Without the library of charts, figures are tables.
/usr/bin/python3 - "$dir" <<'END'
import re, sys
page = open(sys.argv[1] + "/sweep.html").read()
scripts = re.findall(r"<script>.*?</script>", page, re.S)
open(sys.argv[1] + "/plain.html", "w").write(page.replace(max(scripts, key=len), ""))
END
open_page plain
check "plain: errors" "$(root_attribute plain errors)" '[]'
check "plain: drawings" "$(occurrences plain '<svg ')" 0
check "plain: rows of a figure" "$(in_figure plain ratio '<tr><td')" 2

# Text of a report stays text; an invalid item shows an error, and the others are drawn.
show hostile
check "hostile: ready" "$(root_attribute hostile ready)" true
errors=$(root_attribute hostile errors)
case $errors in
    *'A kind that does not exist: unknown kind of item'*'A chart without series: '*) ;;
    *) check "hostile: errors" "$errors" "those of the two broken items" ;;
esac
check "hostile: text that ran" "$(printf '%s' "$errors" | grep -c 'of the report ran' || true)" 0
check "hostile: items that failed" "$(occurrences hostile '<p class="failed"')" 2
check "hostile: title" "$(occurrences hostile '<title>broken in')" 0
check "hostile: foreign elements" "$(occurrences hostile '<img src=x\|<b>bold\|<u>\|<s>a\|<i>Log')" 0
check "hostile: violated checks" "$(occurrences hostile '<span class="bad">✗ violated')" 1
check "hostile: violated checks are unfolded" "$(occurrences hostile '<details class="checks" open')" 1
check "hostile: figures without data" "$(occurrences hostile '<p class="about">There is nothing to show')" 2
check "hostile: the tree's only node" "$(in_figure hostile lone '<g class="node"')" 1

[ "$failures" = 0 ] || exit 1
echo "report page: all checks passed"
