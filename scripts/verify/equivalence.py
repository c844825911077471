# SPDX-License-Identifier: Apache-2.0
"""Whether a mutant is the block after all. Both start a cycle from the same state, which is one that the assertions in
the RTL allow, and with the same inputs; then every output and every register's next value must be the same. As the
assertions hold in every state that is reached, the two never part: the proof that the block names (`proof`) shows it,
with these very parameters; assertions of parts that this proof replaces are left out (`without`). It is enough, and often
quicker to show, that the instances of the mutated module give the same to the rest, or that the mutated bit of a port is
never another. Without such a proof nothing is assumed of the state.

Where neither shows it, two proofs look at several cycles: a module whose outputs count in one cycle only gives the same
there (`answers`: a file that asks two of them, and the cycles that this takes); or the module, or one around it, gives the
same in every cycle (sequential.py)."""
import functools
import json
import pathlib
import re
import threading

import yaml

import block
import compiling
import mutating
import place
import sequential
import sv_text

SECONDS = 120  # for one proof; most take one
WHOLE = "every output and next state of the block is the same"
LOCAL = "every output and next state of the module is the same"
BIT = "the mutated bit of the port is the same"
ANSWER = "the module's answer is the same, whatever it held before"
FREE, ALLOWED = "from every state", "from every state that the assertions allow"
REGISTER = re.compile(r"^  cell \$dff (\S+)\n(.*?)^  end\n", re.M | re.S)
RISING = re.compile(r"\\CLK_POLARITY (1|1'1)$", re.M)
WIRE = re.compile(r"^  wire (?:width (\d+) )?(?:signed )?(?:(input|output) \d+ )?\\(\S+)$", re.M)
LOCK = threading.Lock()


def folder():
    return block.this().out / "equivalence"


def digest():
    """Of all that a list of mutants and their proofs depend on."""
    version, _ = place.run(["yosys", "-V"])
    return digest_of(version, pathlib.Path.read_text)


def digest_of(version, text_of):
    """`text_of` gives the text of a file. Yosys numbers the cells and names them by file and line, so every token and every
    line of the RTL counts; the words of comments do not."""
    here = place.ROOT / "scripts" / "verify"
    this = block.this()
    rtl = this.sources + this.headers
    proofs = yaml.safe_load(text_of(this.file(this.item("proofs")["list"]))) if this.item("proofs") else None
    mutants = {key: value for key, value in this.item("mutants").items() if key in ("proof", "without", "a_module", "answers")}
    questions = [this.file(q["file"]) for q in mutants.get("answers", {}).values()]
    return place.digest(version, json.dumps([this.parameters("mutation"), mutants, proofs]),
                        *[text_of(here / name) for name in ("equivalence.py", "mutating.py", "sequential.py", "given.py")],
                        *[sv_text.code(text_of(f)) for f in questions],
                        *[f"{place.relative(f)}\n{sv_text.code(text_of(f))}" for f in rtl])


@functools.lru_cache(maxsize=None)
def holds(proof):
    command = [place.ROOT / "scripts" / "prove", block.this().name, proof]
    return place.run(command, log=folder() / f"prove_{proof}.log", check=False)[1] == 0


def assertions_are_proven():
    return "proof" in block.this().item("mutants") and holds(block.this().item("mutants")["proof"])


def word(name):
    return re.sub(r"\W", "_", name.replace("\\", ""))


def instances(text, module):
    """Where a module stands in a flat design: "u_map." and so on; empty for the block itself."""
    if module == block.this().top:
        return []
    ports = sv_text.outputs(block.this().source_of(module))
    wires = {name for _, _, name in WIRE.findall(text)}
    found = {name.removesuffix(ports[0]) for name in wires if name.endswith("." + ports[0])}
    return sorted(p for p in found if all(p + q in wires for q in ports))


def opened(path, module):
    """Opens every register of a flat design: its output becomes an input, what it would take an output. What the instances
    of the module give out can be seen from outside, too."""
    text = path.read_text()
    widths = {name: int(width or 1) for width, _, name in WIRE.findall(text)}
    ids = iter(range(10000, 100000))

    def cut(register):
        name, body = f"\\register_{word(register.group(1))}", register.group(2)
        width = re.search(r"parameter \\WIDTH (\d+)", body).group(1)
        clock = re.search(r"connect \\CLK \\(\S+)", body)
        if clock is None or clock.group(1).split(".")[-1] != block.this().clock or not RISING.search(body):
            return register.group(0)  # not the block's clock: the proof will not get past it
        d, q = (re.search(rf"connect \\{pin} (.*)$", body, re.M).group(1) for pin in "DQ")
        return (f"  wire width {width} input {next(ids)} {name}_q\n  wire width {width} output {next(ids)} {name}_d\n"
                f"  connect {q} {name}_q\n  connect {name}_d {d}\n")

    text = REGISTER.sub(cut, text)
    seen = []
    for p in instances(text, module):
        for q in sv_text.outputs(block.this().source_of(module)):
            seen.append(f"  wire width {widths[p + q]} output {next(ids)} \\local_{word(p + q)}\n"
                        f"  connect \\local_{word(p + q)} \\{p}{q}\n")
    head, end, rest = text.rpartition("\nend\n")
    path.write_text(head + "\n" + "".join(seen) + end.lstrip("\n") + rest)
    return path


def ports_of(path):
    return {name: (int(width or 1), way) for width, way, name in WIRE.findall(path.read_text()) if way}


@functools.lru_cache(maxsize=None)
def gold(module):
    """The block with its assertions as assumptions, its registers and the module's outputs opened."""
    to = folder() / f"{module}.il"
    without = "\n".join(f"delete t:${kind} c:{name} %i" for name in block.this().item("mutants").get("without", [])
                        for kind in ("assert", "assume"))
    mutating.yosys(f"""read_rtlil {place.relative(mutating.design_file())}
flatten
{sequential.PLAIN_REGISTERS}
chformal -cover -remove
{without}
chformal -early
chformal -assert2assume
opt_clean
rename -top gold
write_rtlil {place.relative(to)}
""", folder() / f"{module}.log")
    return opened(to, module)


def hardware(module, name, change=""):
    """The block without its assertions, opened in the same way."""
    to = folder() / f"{name}.il"
    mutating.yosys(f"""read_rtlil {place.relative(mutating.block_file())}
{change}
flatten
{sequential.PLAIN_REGISTERS}
opt_clean
rename -top gate
write_rtlil {place.relative(to)}
""", folder() / f"{name}_made.log")
    return opened(to, module)


def gate(mutant):
    return hardware(mutant.module, f"mutant_{mutant.number}", f"mutate {mutant.key}")


@functools.lru_cache(maxsize=None)
def places(module):
    """Outputs of the module's instances in the block. Those of instances that assertions alone read are not there."""
    return local_ports(hardware(module, f"{module}_places"))


def local_ports(path):
    return {name for name in ports_of(path) if name.startswith("local_")}


def behind(mutant):
    """The outputs of the module that the mutated cell can change: where these are the same, so are its others, and all
    that hangs on them."""
    found = re.fullmatch(r".*-module (\S+) -cell (\S+) .*", mutant.key)
    to = folder() / f"mutant_{mutant.number}_behind.txt"
    mutating.yosys(f"""read_rtlil {place.relative(mutating.block_file())}
cd {found.group(1).removeprefix(chr(92))}
select -write {place.relative(to)} c:{found.group(2).removeprefix(chr(92))} %co* o:* %i
""", to.with_suffix(".log"))
    return [line.split("/")[-1] for line in to.read_text().splitlines()]


def miter(mutant, ours, theirs, local):
    """Both with the same inputs, and one wire that says whether they differ."""
    mine = [word(p) for p in instances(theirs.read_text(), mutant.module)]
    changed = {f"local_{p}{q}" for p in mine for q in behind(mutant)} if local else set()

    def is_compared(name):
        if not local:
            return not name.startswith("local_")
        return name in changed or name.startswith("register_") and any("_flatten" + p in name for p in mine)

    ports, others = ports_of(ours), ports_of(theirs)
    lacking = sorted(set(others) - set(ports))
    if lacking:
        raise place.Failed(f"equivalence: the block with its assertions has no {lacking[:5]}")
    plain = {name: f"p{i}" for i, name in enumerate(ports)}
    inputs = [name for name, (_, way) in ports.items() if way == "input"]
    compared = [f"{plain[n]} != {plain[n]}_m" for n, (_, way) in others.items() if way == "output" and is_compared(n)]
    if local_ports(theirs) != places(mutant.module):
        raise place.Failed(f"equivalence: {mutant.module} stands at other places in the mutant")
    lines = [f"module miter ({', '.join(plain[n] for n in inputs)}, differ);", "  output differ;"]
    lines += [f"  {'input' if way == 'input' else 'wire'} [{width - 1}:0] {plain[n]};" for n, (width, way) in ports.items()]
    lines += [f"  wire [{width - 1}:0] {plain[n]}_m;" for n, (width, way) in others.items() if way == "output"]
    lines += ["  gold u_gold (" + ",\n    ".join(f".\\{n} ({p})" for n, p in plain.items()) + ");",
              "  gate u_gate (" + ",\n    ".join(f".\\{n} ({plain[n]}{'_m' if way == 'output' else ''})"
                                                for n, (_, way) in others.items()) + ");",
              "  assign differ = " + " ||\n    ".join(compared) + ";", "endmodule"]
    to = folder() / f"mutant_{mutant.number}_{'local' if local else 'whole'}.v"
    to.write_text("\n".join(lines) + "\n")
    return to


def ports_mutated(mutant, text):
    """[(wire, bit, value)] for a mutant of an instance's port, one for each place of the instance in a flat design: the
    mutant is the block where the bit has that value. Empty for mutants of other cells."""
    found = re.fullmatch(r"-mode (const[01]|cnot[01]) -module (\S+) -cell (\S+) -port (\S+) -portbit (\d+)"
                         r"(?: -ctrlbit (\d+))?.*", mutant.key)
    if found is None:
        return []
    mode, _, cell, port, bit, control = found.groups()
    places = [""] if mutant.module == block.this().top else instances(text, mutant.module)
    widths = {name: int(width or 1) for width, _, name in WIRE.findall(text)}
    wires = [f"{p}{cell}.{port}" for p in places]
    if not wires or any(w not in widths for w in wires):
        return []
    same = int(mode[-1]) if mode.startswith("const") else 1 - int(mode[-1])
    return [(w, int(bit if control is None else control), same) for w in wires]


def bit_is_never_another(mutant):
    """Whether that value is the only one in every state that the assertions allow. A few gates, where a proof about the
    outputs may have to see through a multiplier."""
    ours = gold(mutant.module)
    bits = ports_mutated(mutant, ours.read_text())
    if not bits:
        return False
    proofs = " ".join(f"-prove {wire}[{bit}] {same}" for wire, bit, same in bits)
    log = folder() / f"mutant_{mutant.number}_bit.log"
    path = log.with_suffix(".ys")
    path.write_text(f"read_rtlil {place.relative(ours)}\nsat -verify {proofs} -set-assumes -timeout {SECONDS} gold\n")
    said, status = place.run(["yosys", "-s", path], log=log, check=False, cwd=place.ROOT)
    return status == 0 and "SUCCESS" in said


@functools.cache
def asked(module):
    """The module without a mutant, as its answers are compared."""
    to = folder() / f"answer_of_{word(module)}.il"
    return sequential.alone(module, "", to, "gold", sequential.PLAIN_REGISTERS)


def answers_the_same(mutant):
    """Whether a module that is asked from time to time answers the same. The file says when it is asked, as its `proof` shows,
    and when the answer counts. That there is an answer of each kind within the cycles is shown, too: else nothing would be.
    Registers of both that take the same in the same cycles become one: since the last reset they have held the same."""
    question = block.this().item("mutants").get("answers", {}).get(mutant.module)
    if question is None or sequential.of_a_clock(mutant):
        return False
    module, file = sequential.module_of(mutant), block.this().file(question["file"])
    stem = folder() / f"mutant_{mutant.number}_answer"
    with LOCK:
        gold = asked(module)
        if not holds(question["proof"]):
            return False
    to = stem.with_name(f"{stem.name}_gate.il")
    gate = sequential.alone(module, f"mutate {mutant.key}", to, "gate", sequential.PLAIN_REGISTERS)
    has = " ".join(f"-set {name} {value}" for name, value in sequential.parameters(module).items())
    path = stem.with_suffix(".ys")
    possible = "\n".join(f"sat -falsify -seq {question['cycles']} -set-assumes -prove {output} 0 {file.stem}"
                         for output in question["possible"])
    path.write_text(f"""{mutating.reading()} {place.relative(file)}
read_rtlil {place.relative(gold)}
read_rtlil {place.relative(gate)}
chparam {has} {file.stem}
hierarchy -top {file.stem}
proc
flatten
opt -share_all
{possible}
sat -verify -seq {question["cycles"]} -set-assumes -prove differ_o 0 -timeout {SECONDS} {file.stem}
""")
    said, status = place.run(["yosys", "-s", path], log=stem.with_suffix(".log"), check=False, cwd=place.ROOT)
    return status == 0 and said.count("SUCCESS") == 1


def shown(mutant):
    """How it was shown to be equivalent, or an empty text. From the quickest proof to the strongest. Bit by bit, what is
    the same in both is one gate."""
    with LOCK:
        ours = gold(mutant.module)
        places(mutant.module)
    theirs = gate(mutant)
    has_local = bool(local_ports(theirs))
    for local, allowed in ((True, False), (True, True), (False, True)):
        if local and not has_local or allowed and not assertions_are_proven():
            continue
        script = f"""read_rtlil {place.relative(ours)}
{"" if allowed else "chformal -remove"}
read_rtlil {place.relative(theirs)}
read_verilog {place.relative(miter(mutant, ours, theirs, local))}
hierarchy -top miter
flatten
opt_expr
opt_merge -share_all
opt_clean
simplemap
opt -share_all
sat -verify -prove differ 0 {"-set-assumes" if allowed else ""} -timeout {SECONDS} miter
"""
        log = folder() / f"mutant_{mutant.number}_{local:d}{allowed:d}.log"
        path = log.with_suffix(".ys")
        path.write_text(script)
        said, status = place.run(["yosys", "-s", path], log=log, check=False, cwd=place.ROOT)
        if status == 0 and "SUCCESS" in said:
            return f"{LOCAL if local else WHOLE} {ALLOWED if allowed else FREE} (yosys sat)"
    if assertions_are_proven() and bit_is_never_another(mutant):
        return f"{BIT} {ALLOWED} (yosys sat)"
    if answers_the_same(mutant):
        return f"{ANSWER} (yosys sat)"
    return sequential.shown(mutant)


def assumptions_can_be_met():
    """A state that all assertions allow exists: else everything would follow from them."""
    script = f"read_rtlil {place.relative(gold(block.this().top))}\nopt\nsat -set-assumes -set {block.this().reset} 1 gold\n"
    path = folder() / "met.ys"
    path.write_text(script)
    said, status = place.run(["yosys", "-s", path], log=folder() / "met.log", check=False, cwd=place.ROOT)
    return status == 0 and "SAT solving finished - model found" in said


def prove(mutants):
    """{key: how} of those that are equivalent."""
    folder().mkdir(parents=True, exist_ok=True)
    if mutants and "proof" in block.this().item("mutants") and not (assumptions_can_be_met() and assertions_are_proven()):
        raise place.Failed("equivalence: the assertions contradict each other, or are not proven")
    results = compiling.in_parallel([lambda m=m: shown(m) for m in mutants])
    return {m.key: how for m, how in zip(mutants, results) if how}
