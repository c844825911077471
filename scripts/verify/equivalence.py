# SPDX-License-Identifier: Apache-2.0
"""Whether a mutant is the block after all. Both start a cycle from the same state, which is one that the assertions in
the RTL allow, and with the same inputs; then every output and every register's next value must be the same. As the
assertions hold in every state that is reached (they are proven by induction, scripts/prove), the two never part."""
import re

import compiling
import mutating
import place

FOLDER = place.OUT / "equivalence"
GOLD = FOLDER / "gold.il"
MITER = FOLDER / "miter.v"
SECONDS = 120  # for one proof
HOW = "every output and next state is the same from every state that the assertions allow (yosys sat)"
HOW_FREE = "every output and next state is the same from every state (yosys sat)"


def rtl_digest():
    return place.digest(*[place.ROOT / f for f in mutating.sources()], place.COMMON / "cf_assert.svh")


def relative(path):
    return path.relative_to(place.ROOT)


def ports_of(text, module):
    body = re.search(rf"^module \\{module}$(.*?)^end$", text, re.M | re.S).group(1)
    found = re.findall(r"^  wire (?:width (\d+) )?(?:signed )?(input|output) \d+ (\\\S+)$", body, re.M)
    return {name: (int(width or 1), way) for width, way, name in found}


EVERT = "async2sync\nexpose -evert-dff t:$dff\n"


def prepare():
    """The block itself with its registers opened up, and the comparison with a mutant. Once for all."""
    mutating.yosys(f"""read_rtlil {relative(mutating.DESIGN)}
flatten
async2sync
chformal -cover -remove
chformal -early
chformal -assert2assume
opt_clean
expose -evert-dff t:$dff
rename -top gold
write_rtlil {relative(GOLD)}
design -reset
read_rtlil {relative(mutating.BLOCK)}
flatten
{EVERT}rename -top gate
write_rtlil {relative(FOLDER / "plain.il")}
""", FOLDER / "prepare.log")
    gold, gate = ports_of(GOLD.read_text(), "gold"), ports_of((FOLDER / "plain.il").read_text(), "gate")
    lacking = [name for name, (_, way) in gate.items() if name not in gold]
    if lacking:
        raise place.Failed(f"equivalence: the block with its assertions has no {lacking[:5]}")
    lines, inputs, compared = [], [], []
    for name, (width, way) in gold.items():
        plain = "p_" + re.sub(r"\W", "_", name) + f"_{len(lines)}"
        lines.append((name, width, way, plain))
    head = [f"  input [{w - 1}:0] {p};" for _, w, way, p in lines if way == "input"]
    wires = [f"  wire [{w - 1}:0] {p}, {p}_m;" for name, w, way, p in lines if way == "output"]
    gold_pins = [f".{name} ({p})" for name, _, _, p in lines]
    gate_pins = [f".{name} ({p}{'_m' if way == 'output' else ''})" for name, _, way, p in lines if name in gate]
    compared = [f"{p} != {p}_m" for name, _, way, p in lines if way == "output" and name in gate]
    inputs = [p for _, _, way, p in lines if way == "input"]
    MITER.write_text(f"module miter ({', '.join(inputs)}, differ);\n" + "\n".join(head + wires)
                     + "\n  output differ;\n  gold u_gold (" + ",\n    ".join(gold_pins) + ");\n  gate u_gate ("
                     + ",\n    ".join(gate_pins) + ");\n  assign differ = " + " ||\n    ".join(compared) + ";\nendmodule\n")


def shown(mutant):
    """How it was shown to be equivalent, or an empty text. First without the assertions: that needs nothing of them."""
    for assume, how in ((False, HOW_FREE), (True, HOW)):
        script = f"""read_rtlil {relative(mutating.BLOCK)}
mutate {mutant.key}
flatten
{EVERT}rename -top gate
design -stash gate
read_rtlil {relative(GOLD)}
{"" if assume else "chformal -remove"}
read_verilog {relative(MITER)}
design -copy-from gate -as gate gate
hierarchy -top miter
flatten
opt_expr
opt_merge -share_all
opt_clean
opt -share_all
sat -verify -prove differ 0 {"-set-assumes" if assume else ""} -timeout {SECONDS} miter
"""
        log = FOLDER / f"mutant_{mutant.number}.log"
        path = log.with_suffix(".ys")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(script)
        said, status = place.run(["yosys", "-s", path], log=log, check=False, cwd=place.ROOT)
        if status == 0 and "SUCCESS" in said:
            return how
    return ""


def prove(mutants):
    """{key: how} of those that are equivalent."""
    if not mutants:
        return {}
    prepare()
    results = compiling.in_parallel([lambda m=m: shown(m) for m in mutants])
    return {m.key: how for m, how in zip(mutants, results) if how}
