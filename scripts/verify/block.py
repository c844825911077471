# SPDX-License-Identifier: Apache-2.0
"""The block under verification: what tb/BLOCK/block.yaml says, with the paths that follow from its name. A run verifies
one block: use() chooses it, this() is it. tb/lib/README.md describes every key."""
import functools
import json
import random
import re

import description
import place

TB = place.ROOT / "tb"
# The keys of block.yaml, and of the items in it. An item that a block does not list is not run.
KEYS = ("title", "top", "sources", "not_hardware", "clock", "reset", "sets", "usual", "mutation", "sampled", "refused", "bench", "items",
        "lacks")
NEEDED = ("title", "top", "sources", "clock", "reset", "sets", "usual", "items")
BENCH = ("folder", "wrapper", "include", "model", "links", "top", "sources", "bind", "defines")
SAMPLED = ("number", "from", "where")
TRIES = 10000  # draws of a set until one meets its conditions
ITEMS = {
    "lint": (),
    "vectors": ("files",),
    "directed": ("long",),
    "random": ("seeds", "compared", "needed"),
    "lockstep": ("sets", "cycles", "seconds"),
    "coverage": ("exclusions", "elsewhere", "toggles_nightly"),
    "functional": (),
    "assertions": ("plan", "prefix", "count"),
    "plan": ("page", "points"),
    "bugs": ("patches", "at_least", "number", "set"),
    "mutants": ("equivalent", "proof", "without", "answers", "a_module", "of_block", "vectors", "given", "proofs", "nightly"),
    "netlist": ("bench", "sets", "cycles", "needed", "vectors", "memories", "nightly"),
    "proofs": ("list", "bounds", "of_inputs", "not_shown"),
    "synthesis": ("memories", "megahertz", "registers"),
    "soak": ("packets", "nightly"),
}
VECTORS = ("row", "file", "made_by", "sets", "at_least", "of_mutants", "cases")


class Block:
    """A block and its files."""

    def __init__(self, name):
        self.name = name
        self.folder = TB / name
        self.path = self.folder / "block.yaml"
        self.out = place.ROOT / "build" / "verify" / name
        given = description.read(self.path)
        description.check(self.path, given, KEYS, "a block", NEEDED)
        description.check(self.path, given["items"], tuple(ITEMS), "items")
        for item, text in given["items"].items():
            if text:
                description.check(self.path, text, ITEMS[item], f"item {item}")
        for entry in given["items"].get("vectors", {}).get("files", []):
            description.check(self.path, entry, VECTORS, "a file of vectors", ("row", "sets"))
        bench = given.get("bench") or description.Map()
        description.check(self.path, bench, BENCH, "bench")
        if "sampled" in given:
            description.check(self.path, given["sampled"], SAMPLED, "sampled", SAMPLED[:2])
        self.given = given
        self.title, self.top = given["title"], given["top"]
        self.clock, self.reset = given["clock"], given["reset"]
        self.sets, self.usual, self.mutation = given["sets"], given["usual"], given.get("mutation")
        self.refused = given.get("refused", [])
        if self.usual not in self.sets:
            raise place.Failed(f"{place.relative(self.path)}: usual is '{self.usual}', not one of {', '.join(self.sets)}")
        self.not_hardware = tuple(given.get("not_hardware", ())) + ("cf_cover",)
        self.model = bench.get("model", [])
        self.bench = self.file(bench.get("folder", "."))
        self.wrapper = self.bench / bench.get("wrapper", "wrapper.cpp")
        self.links = [f"-l{name}" for name in bench.get("links", [])]
        self.bench_top = bench.get("top", self.top)
        self.bench_sources = [self.file(name) for name in bench.get("sources", [])]
        self.defines = bench.get("defines", {})
        for name in self.defines:
            if name not in self.given["sets"]:
                raise description.at(self.path, self.defines.marks[name], f"defines: no set '{name}'; there are "
                                     f"{', '.join(self.given['sets'])}")
        self.bound = [self.file(name) for name in bench.get("bind", [])]
        self.cpp_includes = [TB, place.ROOT / "tlm"] + [place.ROOT / name for name in bench.get("include", [])]
        self.lacks = given.get("lacks") or {}
        self.drawn = []  # names of the sets that this run has drawn

    def item(self, name):
        """What the block says of an item; None if it has none."""
        return (self.given["items"][name] or {}) if name in self.given["items"] else None

    @property
    def keeps_vectors(self):
        """Whether its mutants are drawn in a netlist of vectors and memories, not of bits."""
        return (self.item("mutants") or {}).get("vectors", False)

    def file(self, name):
        """A path from the block's folder, or else from the root."""
        own, other = self.folder / name, place.ROOT / name
        return other if other.exists() and not own.exists() else own

    @functools.cached_property
    def own_sources(self):
        """The block's own SystemVerilog, packages first, as every tool requires."""
        return [f for f in self.sources if f.parent != place.COMMON]

    @functools.cached_property
    def sources(self):
        """All of its SystemVerilog, packages first."""
        files = []
        for name in self.given["sources"]:
            path = place.ROOT / name
            found = sorted(path.glob("*.sv")) if path.is_dir() else [path]
            if not found or not all(f.is_file() for f in found):
                raise place.Failed(f"{place.relative(self.path)}: no SystemVerilog in {name}")
            files += found
        files.sort(key=lambda f: not f.name.endswith("_pkg.sv"))
        return files

    @functools.cached_property
    def headers(self):
        """Files that the sources include."""
        return sorted({h for f in self.sources + [place.COMMON / "x"] for h in f.parent.glob("*.svh")})

    @property
    def includes(self):
        return [place.COMMON] + sorted({f.parent for f in self.own_sources})

    def source_of(self, module):
        """The file of a module: one each, of the same name."""
        return next(f for f in self.sources if f.stem == module)

    @functools.cached_property
    def defaults(self):
        """{parameter of the top: its value where nobody gives one}, as Yosys has them."""
        to = self.out / "defaults.json"
        stamp = self.out / "defaults.stamp"
        packages = [f for f in self.sources if f.stem.endswith("_pkg")]
        files = packages + [self.source_of(self.top)]
        value = place.digest(*files)
        if not (to.exists() and place.is_current(stamp, value)):
            self.out.mkdir(parents=True, exist_ok=True)
            includes = " ".join(f"-I{place.relative(i)}" for i in self.includes)
            place.run(["yosys", "-q", "-p", f"read_verilog -sv -DSYNTHESIS {includes} " + " ".join(
                str(place.relative(f)) for f in files) + f"; proc; write_json {place.relative(to)}"], cwd=place.ROOT)
            stamp.write_text(value)
        top = json.loads(to.read_text())["modules"][self.top]
        return {name: int(bits, 2) for name, bits in top.get("parameter_default_values", {}).items()}

    def parameters(self, set_name):
        """What a set says; `mutation` is the one from which mutants are made."""
        return self.mutation if set_name == "mutation" else self.sets[set_name]

    def sample(self, seed, nightly):
        """Adds the parameter sets that are drawn from the seed."""
        sampled = self.given.get("sampled")
        if not sampled:
            return
        drawn = random.Random(seed)
        for i in range(sampled["number"][nightly]):
            self.drawn.append(f"sampled{i + 1}")
            self.sets[self.drawn[-1]] = self.draw_one(drawn, sampled["from"])

    def draw_one(self, drawn, ranges):
        """Values that meet every condition of `where`."""
        for _ in range(TRIES):
            values = {name: drawn.choice(of) for name, of in ranges.items()}
            if self.legal(values):
                return values
        raise description.at(self.path, self.given["sampled"].marks["where"], f"no set of {TRIES} meets all conditions")

    def legal(self, values):
        return all(self.meets(condition, values) for condition in self.given["sampled"].get("where", []))

    def meets(self, condition, values):
        """Whether a set of values, the default of each parameter that it does not name, meets a condition: a comparison
        of parameters, such as MinLanes <= LanesPerDirection."""
        names = {**self.defaults, **values}
        try:
            return bool(eval(condition, {"__builtins__": {}}, names))
        except (NameError, SyntaxError, TypeError) as error:
            raise place.Failed(f"{place.relative(self.path)}: '{condition}' is no condition of parameters: {error}") from error

    def extremes(self):
        """{name: parameters}: the least and the largest of each that is sampled, where together they make a legal set."""
        ranges = self.given.get("sampled", {}).get("from", {})
        ends = {how.__name__: {name: how(values) for name, values in ranges.items()} for how in (min, max)} if ranges else {}
        return {name: values for name, values in ends.items() if self.legal(values)}

    def needed_of(self, item, set_name):
        """What a run of an item with that set must have: names, or a mapping of names to the sets that have it."""
        needed = self.item(item)["needed"]
        if not isinstance(needed, dict):
            return list(needed)
        return [name for name, condition in needed.items() if self.meets(condition, self.parameters(set_name))]

    def check_parameters(self):
        sampled = self.given.get("sampled", {}).get("from", {})
        named = [*self.sets.items(), ("mutation", self.mutation or {}), ("sampled", sampled)]
        for name, given in named + [("refused", given) for given in self.refused]:
            for parameter in given:
                if parameter not in self.defaults:
                    raise description.at(self.path, given.marks[parameter], f"{name}: {self.top} has no parameter "
                                         f"'{parameter}'; it has {', '.join(self.defaults)}")


def names():
    """All blocks that are verified."""
    return sorted(p.parent.name for p in TB.glob("*/block.yaml"))


CHOSEN = []


def use(name):
    """Chooses the block of this run; a name without a block is one line with the nearest."""
    if name not in names():
        near, _ = place.run(["sh", place.ROOT / "scripts" / "nearest", name, *names()])
        raise place.Failed(f"no block '{name}'{near}; there are: {' '.join(names())}")
    CHOSEN[:] = [Block(name)]
    return this()


def this():
    return CHOSEN[0]


def macro_name(parameter):
    """How C++ gets a parameter: LanesPerDirection as CF_LANES_PER_DIRECTION."""
    return "CF_" + re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", parameter).upper()
