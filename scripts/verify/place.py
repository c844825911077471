# SPDX-License-Identifier: Apache-2.0
"""Where the project is, and how a command is run. Every item of the verification uses these and no others."""
import collections
import contextvars
import hashlib
import os
import pathlib
import resource
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMON = ROOT / "rtl" / "common"  # the assertion macros
JOBS = max(1, int(os.environ.get("CONTRAFLOW_JOBS", os.cpu_count() or 1)))


# Processor time by item: whatever a command takes counts for the item that began it first.
ITEM = contextvars.ContextVar("item", default="")
SPENT = collections.Counter()


class Failed(Exception):
    """A tool failed, or a file is not as it should be; the text names it."""


def say(text):
    print(text, file=sys.stderr, flush=True)


def relative(path):
    """As people and Yosys see it: from the root."""
    return path.relative_to(ROOT)


def run(command, log=None, check=True, **more):
    """Runs a command; its output goes to `log` if named. Returns what it printed and its status."""
    command = [str(word) for word in command]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                          text=True, errors="replace", **more) as running:
        said = running.stdout.read()
        _, ended, used = os.wait4(running.pid, 0)
        running.returncode = status = os.waitstatus_to_exitcode(ended)
    SPENT[ITEM.get()] += used.ru_utime + used.ru_stime
    if log is not None:
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text(" ".join(command) + "\n" + said)
    if check and status != 0:
        tail = "\n".join(said.splitlines()[-15:])
        raise Failed(f"{' '.join(command)[:300]}\nended with status {status}:\n{tail}")
    return said, status


def cpu_seconds():
    """For this process and all children that have ended."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def digest(*parts):
    """A short hash of texts and of the contents of files."""
    h = hashlib.sha256()
    for part in parts:
        h.update(part.read_bytes() if isinstance(part, pathlib.Path) else str(part).encode())
        h.update(b"\0")
    return h.hexdigest()[:20]


def is_current(stamp, value):
    return stamp.exists() and stamp.read_text() == value
