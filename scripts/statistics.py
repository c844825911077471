# SPDX-License-Identifier: Apache-2.0
# statistics.py BIN_DIR: prints docs/reference/statistics.md, from the reports of the first microsecond of runs.
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Configurations that build every kind of part, and how many names of a path are the run's.
RUNS = {
    "numa_gpu": (["numa_gpu", "small"], 2),
    "unified_gpu": (["unified_gpu", "r9_nano", "server_8", "small", "chiplets"], 2),
    "pcie_tree": (["t1", "t2"], 1),
    "torus_nic": (["latency", "link_errors", "loop_back", "misses", "offered_load", "one_way", "programs", "read"], 1),
    "gpu_shmem": (["bfs", "jacobi_scaling", "latency", "ping_pong", "triangular_solve"], 1),
}
MOST_PARTS = 3

HEAD = """# Every statistic

Written by `./contraflow doc` from what the platforms register. A run with `--out DIR` leaves the values in
`DIR/stats.csv`, by path: `last_run.gpu0.cu1_l1.hits` is `hits` of `gpu0.cu1_l1`, and N stands here for each number. A
counter has one value; a gauge has the mean over the time, the most and the last; a histogram has its count, mean,
percentiles and maximum.

| statistic | unit | what it tells | platforms, parts |
|---|---|---|---|
"""


def statistics_of(binary, platform, name):
    options = ["--set", "level=tlm"] if platform == "pcie_tree" else []  # its other level is no simulation
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "run"
        file = ROOT / "platforms" / platform / f"{name}.yaml"
        words = [binary, file, "--limit-time", "1us", "--quiet", "--out", out, *options]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 4):
            sys.exit(f"statistics.py: {platform} {name} ended with {done.returncode}: {done.stderr}")
        return json.loads((out / "report.json").read_text())["statistics"]


def part_of(path, of_run):
    """nodeN.nic.send of last_run.node0.nic.send.done"""
    return ".".join(re.sub(r"\d+", "N", path).split(".")[of_run:-1])


def cell(text):
    return text.replace("|", "\\|")


def main():
    found = collections.defaultdict(lambda: (set(), set()))
    for platform, (names, of_run) in RUNS.items():
        for name in names:
            for s in statistics_of(pathlib.Path(sys.argv[1]) / platform, platform, name):
                platforms, parts = found[(s["path"].rsplit(".", 1)[-1], s["unit"], s["text"])]
                platforms.add(platform)
                parts.add(part_of(s["path"], of_run))
    print(HEAD, end="")
    for (name, unit, text), (platforms, parts) in sorted(found.items()):
        some = sorted(parts, key=lambda p: (len(p), p))[:MOST_PARTS]
        more = ", ..." if len(parts) > MOST_PARTS else ""
        of = ", ".join(f"`{p}`" if p else "the run" for p in some) + more
        print(f"| `{name}` | {cell(unit)} | {cell(text)} | {', '.join(sorted(platforms))}: {of} |")


main()
