# SPDX-License-Identifier: Apache-2.0
"""The table of a run, in a terminal, as a page that needs nothing beside it, and as JUnit XML for other tools."""
import html
import re

import block

STYLE = """body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem;color:#222}
table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid #ccc;padding:.35rem .6rem;text-align:left;
vertical-align:top}.FAIL{color:#b00020;font-weight:700}.pass{color:#0a6b2d}pre{background:#f5f5f5;padding:.6rem;
overflow-x:auto;font-size:13px}@media(prefers-color-scheme:dark){body{background:#181818;color:#ddd}pre{background:#242424}
.FAIL{color:#ff7a8a}.pass{color:#6fd28f}td,th{border-color:#444}}"""


def as_text(rows):
    head = ("item", "demand", "reached", "verdict")
    lines = [head] + [(r.item, r.demand, r.reached, r.verdict) for r in rows]
    widths = [max(len(line[i]) for line in lines) for i in range(4)]
    text = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines]
    return "\n".join([text[0], "-" * len(text[0])] + text[1:])


def as_page(rows, about):
    name = html.escape(block.this().name)
    body = [f"<h1>{name}</h1><p>{html.escape(about)}</p><table><tr><th>item<th>demand<th>reached<th>verdict</tr>"]
    for r in rows:
        body.append(f"<tr><td>{html.escape(r.item)}<td>{html.escape(r.demand)}<td>{html.escape(r.reached)}"
                    f"<td class={r.verdict}>{r.verdict}</tr>")
    body.append("</table>")
    for r in rows:
        if r.details:
            body.append(f"<details{' open' if not r.ok else ''}><summary>{html.escape(r.item)}</summary><pre>"
                        + html.escape("\n".join(r.details)) + "</pre></details>")
    return f"<!doctype html><meta charset=utf-8><title>{name}</title><style>{STYLE}</style>" + "\n".join(body) + "\n"


def as_xml(text):
    """Without what XML cannot say: the control characters that tools draw with."""
    return html.escape(re.sub(r"[^\t\n\x20-\ud7ff\ue000-\ufffd]", "", text))


def as_junit(rows):
    """One test case a row."""
    name = html.escape(block.this().name)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>',
             f'<testsuite name="{name}" tests="{len(rows)}" failures="{sum(not r.ok for r in rows)}">']
    for r in rows:
        case = f'  <testcase classname="{name}" name="{html.escape(r.item)}"'
        said = as_xml(f"{r.reached}; demanded: {r.demand}")
        if r.ok:
            lines.append(f"{case}><system-out>{said}</system-out></testcase>")
        else:
            lines.append(f'{case}><failure message="{said}">{as_xml(chr(10).join(r.details))}</failure></testcase>')
    return "\n".join(lines + ["</testsuite>"]) + "\n"


def write(rows, about):
    out = block.this().out
    out.mkdir(parents=True, exist_ok=True)
    to = out / "index.html"
    to.write_text(as_page(rows, about))
    (out / "junit.xml").write_text(as_junit(rows))
    return to
