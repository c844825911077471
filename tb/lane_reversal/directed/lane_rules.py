# SPDX-License-Identifier: Apache-2.0
"""The rules of docs/lane_replay.md, cycle by cycle, with faults: what a case has to show. Written apart from the models in C++.

A case is a trace of rows: (cycles, phits for A->B a cycle, for B->A), "launch", or {"fault": lanes that fail}. Lanes are
physical here: those of A->B are the lower half, and the lane at the border between the directions leaves.
"""
AB, BA = 0, 1
NAMES = {AB: "to_ab", BA: "to_ba", None: "none"}


class Link:
    """The state of one link's lanes: what each serves, or turns to until when; whose driver is on until when."""

    def __init__(self, given):
        self.n = given.get("lanes_per_direction", 8)
        self.least = given.get("min_lanes", 1)
        self.window = given.get("sample_time", 5000)
        self.switch = given.get("switch_time", 100)
        self.drain = given.get("drain", 4)
        self.wait = given.get("sync_latency", 0)
        self.threshold = given.get("saturation", 99)
        self.policy = given.get("policy", "published")
        self.lanes = [{"to": AB if i < self.n else BA, "join": None, "drained": None, "failed": False} for i in range(2 * self.n)]
        self.decided_turn = None  # the lane that turns because of a decision
        self.pending = None       # direction, cycle
        self.begun = 0
        self.busy, self.capacity = [0, 0], [0, 0]
        self.mend_at = None
        self.turns = 0
        self.look()

    def look(self):
        """How many lanes serve, and the next cycle in which that may change by itself."""
        self.lanes_of = [len(self.serving(d)) for d in (AB, BA)]
        due = [self.lanes[i]["join"] for i in self.turning()] + [self.mend_at, self.pending and self.pending[1]]
        self.next = min((t for t in due if t is not None), default=float("inf"))

    def serving(self, d):
        return [i for i, l in enumerate(self.lanes) if l["to"] == d and l["join"] is None and not l["failed"]]

    def turning(self):
        return [i for i, l in enumerate(self.lanes) if l["join"] is not None]

    def have(self, d):
        return sum(l["to"] == d and not l["failed"] for l in self.lanes)

    def border(self, d):
        return self.serving(d)[-1 if d == AB else 0]

    def leave(self, i, t):
        lane = self.lanes[i]
        lane.update(to=1 - lane["to"], drained=t + self.drain, join=t + self.drain + self.switch)

    def lacking(self):
        """The direction that needs a lane and can have one of the other."""
        for d in (AB, BA):
            if self.have(d) < self.least < len(self.serving(1 - d)):
                return d
        return None

    def launch(self, t):
        self.pending, self.begun = None, t
        self.busy, self.capacity = [0, 0], [0, 0]
        total, more = self.have(AB) + self.have(BA), AB if self.have(AB) > self.have(BA) else BA
        share = [total // 2 + (total % 2 if d == more else 0) for d in (AB, BA)]
        turned = self.decided_turn
        surplus = {d: self.have(d) > share[d] for d in (AB, BA)}
        for d in (AB, BA):
            while len(self.serving(d)) > share[d]:
                self.leave(self.border(d), t)
        if turned is not None and self.lanes[turned]["join"] is not None and surplus[self.lanes[turned]["to"]]:
            self.leave(turned, t)
        self.decided_turn = None

    def begin(self, t, launched, faults):
        """The lanes in cycle t."""
        if not launched and not faults and t < self.next:
            return
        mends, self.mend_at = self.mend_at == t, None
        if launched:
            self.launch(t)
        elif mends:
            self.pending = self.decided_turn = None
            self.leave(self.border(1 - self.lack), t)
        elif self.pending and self.pending[1] == t:
            giver = 1 - self.pending[0]
            if len(self.serving(giver)) > self.least:
                self.decided_turn = self.border(giver)
                self.leave(self.decided_turn, t)
                self.turns += 1
            self.pending = None
        for lane in self.lanes:
            if lane["join"] is not None and lane["join"] <= t:
                lane.update(join=None, drained=None)
        for i in faults:
            self.lanes[i].update(failed=True, join=None)
        self.lack = self.lacking()
        if self.lack is not None:
            self.mend_at = t + 1
        self.look()

    def drivers(self, d, t):
        """Drivers that are on: those of lanes that serve, and of lanes that drain, at the end that sent."""
        return len(self.serving(d)) + sum(1 for i in self.turning() if self.lanes[i]["to"] != d and t < self.lanes[i]["drained"])

    def serve(self, d, queued):
        lanes = self.lanes_of[d]
        served = min(queued, lanes)
        self.busy[d] += served
        self.capacity[d] += lanes
        return served

    def end(self, t):
        """The window that ends with cycle t, or None."""
        if t + 1 != self.begun + self.window:
            return None
        full = [self.capacity[d] > 0 and 100 * self.busy[d] >= self.threshold * self.capacity[d] for d in (AB, BA)]
        decision = None
        if self.policy != "static" and not self.turning() and not self.pending and self.mend_at is None and full[AB] != full[BA]:
            to = AB if full[AB] else BA
            giver, lanes = 1 - to, len(self.serving(1 - to))
            room = 100 * self.busy[giver] * lanes < self.threshold * self.capacity[giver] * (lanes - 1)
            if lanes > self.least and (self.policy != "guarded" or room):
                decision, self.pending = to, (to, t + 1 + self.wait)
        window = {"end": t + 1, "busy_ab": self.busy[AB], "capacity_ab": self.capacity[AB], "busy_ba": self.busy[BA],
                  "capacity_ba": self.capacity[BA], "decision": NAMES[decision], "lanes_ab": len(self.serving(AB)),
                  "lanes_ba": len(self.serving(BA))}
        self.begun, self.busy, self.capacity = t + 1, [0, 0], [0, 0]
        self.look()
        return window


def play(given, trace, drain=True, show_cycles=False):
    """{windows, served_*, drained, turns} as in `expected` of a case; and the lanes of each cycle, if they are to be shown."""
    link, queue, served = Link(given), [0, 0], [0, 0]
    windows, cycles = [], []  # the latter are the lanes of each cycle, as in a vector's `cycle`
    launched, faults, t = False, [], 0

    def cycle(arrivals):
        nonlocal launched, faults, t
        link.begin(t, launched, faults)
        launched, faults = False, []
        if show_cycles:
            cycles.append((*link.lanes_of, len(link.turning()), sum(l["failed"] for l in link.lanes), link.drivers(AB, t),
                           link.drivers(BA, t)))
        for d in (AB, BA):
            queue[d] += arrivals[d]
            now = link.serve(d, queue[d])
            queue[d] -= now
            served[d] += now
        if (window := link.end(t)) is not None:
            windows.append({**window, "queued_ab": queue[AB], "queued_ba": queue[BA]})
        t += 1

    for row in trace:
        if row == "launch":
            launched = True
        elif isinstance(row, dict):
            faults = row["fault"]
        else:
            for _ in range(row[0]):
                cycle(row[1:])
    while drain and any(queue):
        cycle((0, 0))
    return {"windows": windows, "served_ab": served[AB], "served_ba": served[BA], "drained": t, "turns": link.turns}, cycles
