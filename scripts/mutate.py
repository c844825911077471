# SPDX-License-Identifier: Apache-2.0
"""Plants the bugs of tests/planted_bugs.yaml, and sees whether the tests that are named there fail.

mutate.py ROOT JOBS [--list] [WORD...]: WORDs choose the bugs whose file or text has one of them. All bugs are planted
in one build, each asleep until a variable of the environment has its number, so that one build is enough; then each
runs alone. The checkout is not touched: its sources are copied to build/mutate and built there, with sanitizers.
Exit status: 0 all bugs were noticed, 1 one was not, 2 a bug can no longer be planted, or bad arguments.
"""
import filecmp
import os
import shutil
import subprocess
import sys
import time

import yaml

LIST = os.path.join("tests", "planted_bugs.yaml")
PRESET = "sanitize"
VARIABLE = "CONTRAFLOW_PLANTED_BUG"
AWAKE = ("#ifndef CONTRAFLOW_PLANTED_BUG\n#define CONTRAFLOW_PLANTED_BUG\n#include <cstdlib>\n"
         "inline bool planted_bug(int number) {\n"
         "    static const char* const text = std::getenv(\"" + VARIABLE + "\");\n"
         "    static const int awake = text == nullptr ? 0 : std::atoi(text);\n"
         "    return number == awake;\n}\n#endif\n")


class Unusable(Exception):
    """What must be mended first."""


class Bug:
    def __init__(self, number, entry):
        keys = {"bug", "file", "from", "to", "tests"}
        if not isinstance(entry, dict) or set(entry) != keys:
            raise Unusable(f"{LIST}: entry {number} has other keys than {', '.join(sorted(keys))}")
        self.number = number
        self.what, self.file, self.old, self.new = entry["bug"], entry["file"], entry["from"], entry["to"]
        tests = entry["tests"] if isinstance(entry["tests"], list) else [entry["tests"]]
        # "BINARY suite.case:suite.*", as --gtest_filter takes it.
        self.tests = [tuple(t.split()) for t in tests]
        if any(len(t) != 2 for t in self.tests):
            raise Unusable(f"{LIST}: the tests of '{self.what}' are a binary and a filter each")
        self.place = None

    def find(self, text):
        found = text.count(self.old)
        if found != 1:
            raise Unusable(f"{self.file}: '{self.what}' can no longer be planted: its text is there {found} times")
        self.place = text.index(self.old)

    def around(self, inner):
        """An expression has this bug's in its place, or a statement this bug's, if the bug is awake."""
        if self.old.endswith((";", "}")):
            return f"{{ if (planted_bug({self.number})) {{ {self.new} }} else {{ {inner} }} }}"
        return f"(planted_bug({self.number}) ? ({self.new}) : ({inner}))"


def plant(text, bugs):
    """All of these bugs in the text of their file. Bugs of the same text are planted around each other."""
    by_place = {}
    for bug in bugs:
        by_place.setdefault((bug.place, bug.place + len(bug.old)), []).append(bug)
    end = len(text)
    for (first, last), here in sorted(by_place.items(), reverse=True):
        if last > end:
            raise Unusable(f"{here[0].file}: the text of '{here[0].what}' overlaps that of another bug")
        planted = text[first:last]
        for bug in here:
            planted = bug.around(planted)
        text, end = text[:first] + planted + text[last:], first
    return AWAKE + text


def read_bugs(root):
    with open(os.path.join(root, LIST), encoding="utf-8") as f:
        return [Bug(number, entry) for number, entry in enumerate(yaml.safe_load(f), 1)]


def find_all(root, bugs):
    for bug in bugs:
        path = os.path.join(root, bug.file)
        if not os.path.isfile(path):
            raise Unusable(f"{bug.file}: '{bug.what}' can no longer be planted: there is no such file")
        with open(path, encoding="utf-8") as f:
            bug.find(f.read())


class Tree:
    """A copy of the checkout's sources with all bugs planted, and its build."""

    def __init__(self, root, jobs):
        self.root, self.jobs = root, jobs
        self.source = os.path.join(root, "build", "mutate", "source")
        self.build = os.path.join(self.source, "build", PRESET)
        self.environment = dict(os.environ, CCACHE_BASEDIR=self.source, CCACHE_NOHASHDIR="1")

    def copy(self, bugs):
        listed = subprocess.run(["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=self.root, check=True,
                                stdout=subprocess.PIPE).stdout.decode().split("\0")
        wanted = {f for f in listed if f and os.path.isfile(os.path.join(self.root, f))}
        for folder, below, files in os.walk(self.source):
            if folder == self.source and "build" in below:
                below.remove("build")
            for f in files:
                there = os.path.join(folder, f)
                if os.path.relpath(there, self.source) not in wanted:
                    os.remove(there)
        buggy = {}
        for bug in bugs:
            buggy.setdefault(bug.file, []).append(bug)
        # What did not change keeps its time, so that it is not built again.
        for f in sorted(wanted):
            here, there = os.path.join(self.root, f), os.path.join(self.source, f)
            os.makedirs(os.path.dirname(there), exist_ok=True)
            if f in buggy:
                with open(here, encoding="utf-8") as source:
                    text = plant(source.read(), buggy[f])
                if os.path.isfile(there):
                    with open(there, encoding="utf-8") as source:
                        if source.read() == text:
                            continue
                with open(there, "w", encoding="utf-8") as source:
                    source.write(text)
            elif not os.path.isfile(there) or not filecmp.cmp(here, there, shallow=False):
                shutil.copy(here, there)
        charts = os.path.join(self.root, "build", "npm")
        if os.path.isdir(charts):
            shutil.copytree(charts, os.path.join(self.source, "build", "npm"), dirs_exist_ok=True)

    def make(self, targets):
        for command in (["cmake", "--preset", PRESET, "-DCONTRAFLOW_TESTS=ON"],
                        ["ninja", "-C", self.build, "-k", "0", "-j", str(self.jobs)] + sorted(targets)):
            done = subprocess.run(command, cwd=self.source, env=self.environment, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT)
            if done.returncode != 0:
                raise Unusable(done.stdout.decode(errors="replace") + "the planted bugs do not build")

    def binary(self, target):
        for folder, below, files in os.walk(os.path.join(self.build, "tests")):
            if "CMakeFiles" in below:
                below.remove("CMakeFiles")
            if target in files:
                return os.path.join(folder, target)
        raise Unusable(f"{LIST}: there is no test binary {target}")

    def passes(self, path, wanted, number, seconds):
        """A test that does not end fails."""
        try:
            return subprocess.run([path, "--gtest_brief=1", "--gtest_fail_fast", "--gtest_filter=" + wanted],
                                  env=dict(self.environment, **{VARIABLE: str(number)}), timeout=seconds,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.build).returncode == 0
        except subprocess.TimeoutExpired:
            return False


def usual_times(tree, paths, bugs):
    """The time of each test while all bugs sleep; it must pass then."""
    usual = {}
    for target, wanted in sorted({t for b in bugs for t in b.tests}):
        listed = subprocess.run([paths[target], "--gtest_list_tests", "--gtest_filter=" + wanted],
                                stdout=subprocess.PIPE).stdout
        if b"\n  " not in listed:
            raise Unusable(f"{LIST}: {target} has no test {wanted}")
        begun = time.monotonic()
        if not tree.passes(paths[target], wanted, 0, None):
            raise Unusable(f"{target} --gtest_filter='{wanted}' fails without a bug")
        usual[target, wanted] = time.monotonic() - begun
    return usual


def mutate(tree, bugs, chosen):
    tree.copy(bugs)
    targets = {t[0] for b in chosen for t in b.tests}
    print(f"contraflow: building {len(targets)} test binaries with {len(bugs)} planted bugs in build/mutate",
          file=sys.stderr, flush=True)
    tree.make(targets)
    paths = {t: tree.binary(t) for t in targets}
    usual = usual_times(tree, paths, chosen)
    survived = 0
    for bug in chosen:
        by = next((t for t in bug.tests if not tree.passes(paths[t[0]], t[1], bug.number, 30 + 10 * usual[t])), None)
        survived += by is None
        print(f"{'SURVIVED' if by is None else 'noticed '}  {bug.file}: {bug.what}", flush=True)
    print(f"{len(chosen)} bugs planted, one awake at a time: {len(chosen) - survived} noticed, {survived} survived")
    return 1 if survived else 0


def main():
    root, jobs, words = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    only_list = "--list" in words
    words = [w for w in words if w != "--list"]
    try:
        for w in words:
            if w.startswith("-"):
                raise Unusable(f"mutate takes --list and words of the files or texts of bugs, not '{w}'")
        bugs = read_bugs(root)
        chosen = [b for b in bugs if not words or any(w in b.file or w in b.what for w in words)]
        if not chosen:
            raise Unusable(f"no planted bug has '{words[0]}' in its file or text; ./contraflow mutate --list names all")
        find_all(root, bugs)
        if only_list:
            for bug in chosen:
                print(f"{bug.file}: {bug.what}")
            return 0
        return mutate(Tree(root, jobs), bugs, chosen)
    except Unusable as wrong:
        print(f"contraflow: {wrong}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
