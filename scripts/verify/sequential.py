# SPDX-License-Identifier: Apache-2.0
"""Whether a mutant of a large block is the block after all: the module that holds it, or one of those around that, has the
same outputs in every cycle, whatever comes in, but for what is `given` of the block. Both begin in a reset with the same contents, and get the same inputs; ABC
proves by property-directed reachability that they never part. A large memory is not part of it: its ports are outputs, and
what it reads is an input, the same for both."""
import functools
import hashlib
import re
import threading

import block
import compiling
import given
import mutating
import place
import vector_mutants

SECONDS = 60  # for one proof of equivalence
SECONDS_OF_PROOF = 300  # for one that tells a mutant from the block
# Every register a plain one, with a name that is the same in the block and in its mutants.
PLAIN_REGISTERS = "async2sync\ndffunmap"
SMALL = 4096  # bits of a memory that is taken as registers
CELL = re.compile(r"^  cell (\S+) (\S+)\n(.*?)^  end\n", re.M | re.S)
WIRE = re.compile(r"^  wire (?:width (\d+) )?(?:signed )?(?:(input|output) \d+ )(\S+)$", re.M)
MODULE = re.compile(r"^module (\S+)\n(.*?)^end\n", re.M | re.S)
LOCK = threading.Lock()


def folder():
    return block.this().out / "equivalence"


def block_file():
    """The block as its mutants are drawn from it."""
    return vector_mutants.block_file() if block.this().keeps_vectors else mutating.block_file()


def users(text):
    """{module: those that have an instance of it}."""
    bodies = dict(MODULE.findall(text))
    found = {name: set() for name in bodies}
    for name, body in bodies.items():
        for kind, _, _ in CELL.findall(body):
            if kind in found:
                found[kind].add(name)
    return found


def places(text, module):
    """Where a module stands in the block: names of instances, with dots; empty for the block itself."""
    top, found = "\\" + block.this().top, []
    bodies = dict(MODULE.findall(text))

    def visit(kind, at):
        if kind == module:
            found.append(at)
        for inner, name, _ in CELL.findall(bodies[kind]):
            if inner in bodies:
                visit(inner, f"{at}.{name[1:]}" if at else name[1:])

    visit(top, "")
    return found


def granted(module):
    """What is given wherever the module stands."""
    sets = [given.below(at) for at in places(block_file().read_text(), module)]
    return [wires for wires in sets[0] if all(wires in others for others in sets)]


@functools.lru_cache(maxsize=None)
def given_is_shown():
    """By its proof: without it, everything might follow."""
    command = [place.ROOT / "scripts" / "prove", block.this().name, given.item()["proof"]]
    return place.run(command, log=folder() / "given.log", check=False)[1] == 0


def parameter(body, name):
    found = re.search(rf"parameter (?:signed )?\\{name} (\S+)", body).group(1)
    return int(found.split("'")[-1], 2) if "'" in found else int(found)


def parameters(module):
    body = dict(MODULE.findall(block_file().read_text()))[module]
    return {name: parameter(body, name) for name in re.findall(r"^  parameter \\(\w+) ", body, re.M)}


def connections(body):
    return dict(re.findall(r"^    connect \\(\S+) (.*)$", body, re.M))


def opened(text):
    """A flat module whose registers begin with an input's value in the cycle of `cf_first`, and whose memories are
    outside."""
    ids = iter(range(100000, 1000000))

    def changed(cell):
        kind, name, body = cell.groups()
        # Registers that were a memory's words are numbered anew in each run.
        plain = re.sub(r"\W", "_", re.sub(r"\$\d+$", "", name) if name.startswith("$memory") else name)
        if kind == "$dff":
            width, pin = parameter(body, "WIDTH"), connections(body)
            return (f"  wire width {width} input {next(ids)} \\init_{plain}\n  wire width {width} \\held_{plain}\n"
                    + cell.group(0).replace(f"connect \\Q {pin['Q']}\n", f"connect \\Q \\held_{plain}\n")
                    + f"  cell $mux \\first_{plain}\n    parameter \\WIDTH {width}\n    connect \\A \\held_{plain}\n"
                    f"    connect \\B \\init_{plain}\n    connect \\S \\cf_first\n    connect \\Y {pin['Q']}\n  end\n")
        if kind == "$mem_v2":
            said, pin = "", connections(body)
            for port, signal in pin.items():
                sizes = {"RD_DATA": ("RD_PORTS", "WIDTH"), "RD_ADDR": ("RD_PORTS", "ABITS"), "WR_ADDR": ("WR_PORTS", "ABITS"),
                         "WR_DATA": ("WR_PORTS", "WIDTH"), "WR_EN": ("WR_PORTS", "WIDTH"), "RD_EN": ("RD_PORTS",)}
                if port not in sizes:
                    continue
                width = 1
                for size in sizes[port]:
                    width *= parameter(body, size)
                way = "input" if port == "RD_DATA" else "output"
                own = f"\\memory_{plain}_{port}"
                said += f"  wire width {width} {way} {next(ids)} {own}\n"
                said += f"  connect {signal} {own}\n" if way == "input" else f"  connect {own} {signal}\n"
            return said
        return cell.group(0)

    head, rest = text.split("\nmodule ", 1)
    name, body = rest.split("\n", 1)
    return f"{head}\nmodule {name}\n  wire input {next(ids)} \\cf_first\n" + CELL.sub(changed, body)


def alone(module, command, to, name, registers=""):
    """Writes that module of the block, flat, after the command, as a module of that name. `registers` says what becomes of its
    registers and memories."""
    mutating.yosys(f"""read_rtlil {place.relative(block_file())}
{command}
hierarchy -top {module.removeprefix(chr(92))}
flatten
opt_clean
{registers}
opt_clean
rename -top {name}
write_rtlil {place.relative(to)}
""", to.with_suffix(".log"))
    return to


def side(name, module, command, stem):
    """The module, flat and opened, as a module of that name."""
    to = alone(module, command, folder() / f"{stem}_{name}.il", name, f"{small_memories(module)}\n{PLAIN_REGISTERS}")
    to.write_text(with_given(opened(to.read_text()), module))
    return to


def with_given(text, module):
    """Outputs `given_` that are never on, as far as the block goes."""
    sets, there = granted(module), set(re.findall(r"^  wire .*?\\(\S+)$", text, re.M))
    missing = {wire.removeprefix("!") for wires in sets for wire in wires} - there
    if missing:
        raise place.Failed(f"given: {module} has no wires {', '.join(sorted(missing))}")
    head, end, rest = text.rpartition("\nend\n")
    cells = [given.all_on(f"given_{n}.all", wires) + f"  wire output {2000000 + n} \\given_{n}\n  connect \\given_{n} \\given_{n}.all\n"
             for n, wires in enumerate(sets)]
    return head + "\n" + "".join(cells) + end.lstrip("\n") + rest


def small_memories(module):
    """Yosys's command that makes registers of the memories, if they are small."""
    bodies = dict(MODULE.findall(block_file().read_text()))
    bits, left = 0, [module]
    while left:
        name = left.pop()
        for kind, _, body in CELL.findall(bodies[name]):
            if kind in bodies:
                left.append(kind)
            elif kind == "$mem_v2":
                bits += parameter(body, "SIZE") * parameter(body, "WIDTH")
    return "memory_map" if bits <= SMALL else ""


def ports(path):
    return {name: (int(width or 1), way) for width, way, name in WIRE.findall(path.read_text())}


def differences(mine, theirs, pins):
    """Expressions that are true where an output differs. What a memory would not take does not count."""
    result = []
    for name, (_, way) in mine.items():
        if way != "output" or name.startswith("\\given_"):
            continue
        a, b = pins[name], pins[name] + "_m"
        enable = re.sub(r"_WR_(DATA|ADDR)$", "_WR_EN", name)
        if name.endswith("_WR_DATA") and enable in mine:
            result.append(f"(({a} ^ {b}) & {pins[enable]}) != 0")
        elif name.endswith("_WR_ADDR") and enable in mine:
            result.append(f"({a} != {b} && {pins[enable]} != 0)")
        else:
            result.append(f"{a} != {b}")
    return result


def miter(gold, gate, to):
    mine, theirs = ports(gold), ports(gate)
    if mine.keys() != theirs.keys():
        return False
    pins = {name: f"p{i}" for i, name in enumerate(mine)}
    reset, clock = block.this().reset, block.this().clock
    inputs = [n for n, (_, way) in mine.items() if way == "input" and n != "\\cf_first"]
    lines = [f"module miter ({', '.join(pins[n] for n in inputs)}, differ);", "  output differ;"]
    for n, (width, way) in mine.items():
        kind = "input" if n in inputs else "wire"
        lines.append(f"  {kind} [{width - 1}:0] {pins[n]};")
        if way == "output":
            lines.append(f"  wire [{width - 1}:0] {pins[n]}_m;")
    clocks = [n for n in inputs if n.endswith(clock)]
    if not clocks:
        return False
    lines += ["  reg begun = 1'b0;", f"  always @(posedge {pins[clocks[0]]}) begun <= 1'b1;",
              f"  assign {pins[chr(92) + 'cf_first']} = !begun;"]
    for name, path, more in (("gold", mine, ""), ("gate", theirs, "_m")):
        lines.append(f"  {name} u_{name} (" + ",\n    ".join(
            f".{n} ({pins[n]}" + (" & begun" if n.endswith(reset) else more if way == "output" else "") + ")"
            for n, (_, way) in path.items()) + ");")
    never = [pins[n] for n in mine if n.startswith("\\given_")]
    lines += [f"  wire legal = !begun || ({' && '.join(['1'] + [f'!{p}' for p in never])});", "  reg was_legal = 1'b1;",
              f"  always @(posedge {pins[clocks[0]]}) was_legal <= was_legal && legal;",
              "  assign differ = was_legal && legal && (" + " ||\n    ".join(differences(mine, theirs, pins)) + ");", "endmodule"]
    to.write_text("\n".join(lines) + "\n")
    return True


@functools.cache
def gold_lock(module):
    return threading.Lock()


@functools.cache
def written(module):
    return side("gold", module, "", "plain_" + hashlib.sha256(module.encode()).hexdigest()[:8])


def without_mutant(module):
    """The same for all mutants of a run."""
    with gold_lock(module):
        return written(module)


def never_differ(mutant, module):
    """Whether ABC shows it for the outputs of that module. What is x in the netlist is 0 on both sides."""
    stem = f"mutant_{mutant.number}_{re.sub(r'.*[^A-Za-z0-9_]', '', module)}"
    gold, gate = without_mutant(module), side("gate", module, f"mutate {mutant.key}", stem)
    both, aiger = folder() / f"{stem}.v", folder() / f"{stem}.aig"
    if not miter(gold, gate, both):
        return False
    mutating.yosys(f"""read_rtlil {place.relative(gold)}
read_rtlil {place.relative(gate)}
read_verilog {place.relative(both)}
hierarchy -top miter
proc
flatten
opt -share_all
techmap
opt -fast -share_all
dffunmap
setundef -zero
aigmap
opt_clean
write_aiger -zinit {place.relative(aiger)}
""", folder() / f"{stem}.log")
    # Of a large module, what comes before pdr takes longer than pdr may.
    command = ["timeout", 3 * SECONDS, "yosys-abc", "-c", f"read_aiger {aiger}; scorr; dc2; pdr -T {SECONDS}"]
    said, _ = place.run(command, log=folder() / f"{stem}.abc.log", check=False)
    return "Property proved" in said


def module_of(mutant):
    """As the design names it."""
    name = re.search(r"-module (\S+)", mutant.key).group(1)
    return name if name.startswith("$") else "\\" + name.removeprefix("\\")


def of_a_clock(mutant):
    """Neither Yosys's sat nor an AIGER file knows clocks."""
    return " -port CLK " in mutant.key


def shown(mutant):
    """How it was shown to be the block, or an empty text."""
    if of_a_clock(mutant) or given.item() and not given_is_shown():
        return ""
    with LOCK:
        used_by = users(block_file().read_text())
    module = module_of(mutant)
    around, level = {module}, 0
    while around and level < 3:
        if block.this().top in {m.removeprefix("\\") for m in around} and level > 0:
            break
        if all(never_differ(mutant, m) for m in sorted(around)):
            names = ", ".join(sorted({re.sub(r".*\\", "", re.sub(r"\\[A-Z].*", "", m)) for m in around}))
            return f"{names} gives the same in every cycle (ABC pdr)"
        around = {user for m in around for user in used_by.get(m, ())}
        level += 1
    return ""


def in_proof(module, command, to):
    """Writes that module under the name that its source has."""
    return alone(module, command, to, re.search(r"\\(cf_\w+)", module).group(1))


def broken(proof, module, hardware):
    """What of the proof does not hold for that module: an assertion, or the step of an induction from a state that the assertions
    allow. `none` if all holds, an empty text if it does not run, or not in time."""
    has = [f"{name}={value}" for name, value in parameters(module).items()]
    command = [place.ROOT / "scripts" / "prove", block.this().name, proof, "--seconds", SECONDS_OF_PROOF, "--hardware", hardware, *has]
    said, status = place.run(command, log=hardware.with_suffix(f".{proof}.log"), check=False)
    found = re.search(r"^    .*\b([A-Z]\d+_\w+)|^    not by (a step) ", said, re.M)
    return "none" if status == 0 else found.group(1) or found.group(2) if status == 1 and found else ""


HOLD, HOLD_LOCK = {}, threading.Lock()


def holds_for_the_block(proof, module):
    """A proof that does not hold for the module without a mutant, in the same way, would kill them all."""
    with HOLD_LOCK:
        if (proof, module) not in HOLD:
            to = folder() / f"plain_{proof}_{len(HOLD)}.il"
            in_proof(module, "", to)
            HOLD[proof, module] = broken(proof, module, to)
        if HOLD[proof, module] != "none":
            raise place.Failed(f"proof {proof} does not hold for {module} as a netlist: {HOLD[proof, module] or 'it does not run'}")


def proofs_of(mutant):
    named = block.this().item("mutants").get("proofs", {}).get(mutant.module, [])
    return [named] if isinstance(named, str) else named


def proofs_hold(mutants):
    """Throws if a proof that may kill one of them does not hold for the block: better before the simulations than after."""
    folder().mkdir(parents=True, exist_ok=True)
    wanted = {(proof, module_of(m)) for m in mutants for proof in proofs_of(m)}
    compiling.in_parallel([lambda p=p, m=m: holds_for_the_block(p, m) for p, m in sorted(wanted)])


def failing(mutant):
    """What of a proof of the mutant's module (`proofs` of the item) holds for the block and not for the mutant, or an empty text. It
    finds what no simulation is long enough for, such as the upper bits of a counter, and what is wrong in the same way wherever the
    module is used."""
    module, proofs = module_of(mutant), proofs_of(mutant)
    to = folder() / f"mutant_{mutant.number}_proof.il"
    if proofs:
        in_proof(module, f"mutate {mutant.key}", to)
    for proof in proofs:
        holds_for_the_block(proof, module)
        found = broken(proof, module, to)
        if found not in ("", "none"):
            return f"proof {proof}, {found}"
    return ""


def kill(mutants):
    """{key: how} of those that a proof tells from the block."""
    folder().mkdir(parents=True, exist_ok=True)
    results = compiling.in_parallel([lambda m=m: failing(m) for m in mutants])
    return {m.key: how for m, how in zip(mutants, results) if how}


def prove(mutants):
    """{key: how} of those that are equivalent."""
    folder().mkdir(parents=True, exist_ok=True)
    if mutants and given.item() and not given_is_shown():
        raise place.Failed(f"equivalence: what is given of the block is not shown by the proof {given.item()['proof']}")
    results = compiling.in_parallel([lambda m=m: shown(m) for m in mutants])
    return {m.key: how for m, how in zip(mutants, results) if how}
