# SPDX-License-Identifier: Apache-2.0
"""An item of the table, and the options of a run."""
import dataclasses


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


@dataclasses.dataclass
class Options:
    nightly: bool = False
    seed: int = 1
    update: bool = False  # the list of equivalent mutants
    update_plan: bool = False

    def choose(self, minutes, nightly):
        return nightly if self.nightly else minutes
