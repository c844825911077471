# SPDX-License-Identifier: Apache-2.0
"""C++ of the bench: compiled once, linked with each build of the block. A file is compiled again when its inputs have
changed; ccache does the rest."""
import concurrent.futures
import contextvars
import functools
import pathlib
import re
import shutil
import threading

import block
import place

RUNTIME = pathlib.Path("/usr/share/verilator/include")
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
# The bench defines vl_stop: a failed assertion is a finding of the running test, not the end of the program.
COMMON = ["-std=c++20", "-DVL_USER_STOP", "-DFMT_SHARED", "-isystem", RUNTIME, "-isystem", RUNTIME / "vltstd"]
QUOTED = re.compile(r'^ *# *include +"([^"]+)"', re.M)


def common():
    return COMMON + [f"-I{folder}" for folder in block.this().cpp_includes]


def compiler():
    return ["ccache", "g++"] if shutil.which("ccache") else ["g++"]


def headers(source, seen=None):
    """Our own headers that a source includes, at all levels."""
    seen = set() if seen is None else seen
    for name in QUOTED.findall(source.read_text()):
        for folder in (source.parent, *block.this().cpp_includes):
            header = folder / name
            if header.exists() and header not in seen:
                seen.add(header)
                headers(header, seen)
                break
    return seen


def compile_file(source, to, flags, more_inputs=()):
    stamp = to.with_suffix(".stamp")
    flags = [str(f) for f in flags]
    value = place.digest(*flags, source, *sorted(headers(source)), *more_inputs)
    if to.exists() and place.is_current(stamp, value):
        return to
    to.parent.mkdir(parents=True, exist_ok=True)
    to.with_suffix(".stamp").unlink(missing_ok=True)
    place.run(compiler() + flags + ["-c", source, "-o", to])
    stamp.write_text(value)
    return to


def in_parallel(calls):
    """Runs all of them, at most as many at a time as there are cores; their results in order."""
    with concurrent.futures.ThreadPoolExecutor(place.JOBS) as pool:
        return [f.result() for f in [pool.submit(contextvars.copy_context().run, call) for call in calls]]


OBJECTS_LOCK = threading.Lock()


def bench_objects():
    """As below, once for all callers."""
    with OBJECTS_LOCK:
        return made_objects()


def wave_objects(kind):
    """Verilator's writer of FST or VCD files."""
    to = block.this().out / "objects" / f"verilated_{kind}_c.o"
    return [compile_file(RUNTIME / f"verilated_{kind}_c.cpp", to, ["-O2", "-DVM_TRACE=1", f"-DVM_TRACE_{kind.upper()}=1", "-I", RUNTIME])]


@functools.lru_cache(maxsize=None)
def made_objects():
    """The bench but the wrapper of the block, the parts of the model, and Verilator's own library."""
    this = block.this()
    objects = this.out / "objects"
    calls = []
    bench = sorted((block.TB / "lib").glob("*.cpp")) + sorted(this.bench.rglob("*.cpp"))
    ours = [f for f in bench if f != this.wrapper] + [place.ROOT / part for part in this.model]
    for source in ours:
        to = objects / (str(place.relative(source.with_suffix(""))).replace("/", "_") + ".o")
        calls.append(lambda source=source, to=to: compile_file(source, to, common() + ["-O2"] + WARNINGS))
    for name in ("verilated", "verilated_threads", "verilated_cov"):
        flags = ["-O2", "-DVL_USER_STOP", "-DVM_COVERAGE=1", "-I", RUNTIME, "-I", RUNTIME / "vltstd"]
        calls.append(lambda name=name, flags=flags: compile_file(RUNTIME / f"{name}.cpp", objects / f"{name}.o", flags))
    return in_parallel(calls)
