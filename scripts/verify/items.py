# SPDX-License-Identifier: Apache-2.0
"""An item of the table, and the options of a run."""
import dataclasses
import time


@dataclasses.dataclass
class Row:
    """One line of the table."""
    item: str
    demand: str
    reached: str
    ok: bool
    details: list = dataclasses.field(default_factory=list)  # lines about shortfalls, or the content

    @property
    def verdict(self):
        return "pass" if self.ok else "FAIL"


def seed_of(given):
    """The seed that was given; else 1, and at night the date, such as 20261130: what one night draws another does not."""
    if given.seed is not None:
        return given.seed
    return int(time.strftime("%Y%m%d")) if given.nightly else 1


@dataclasses.dataclass
class Options:
    nightly: bool = False
    seed: int = 1
    update: bool = False  # the list of equivalent mutants
    update_plan: bool = False

    def choose(self, minutes, nightly):
        return nightly if self.nightly else minutes
