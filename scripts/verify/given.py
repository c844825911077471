# SPDX-License-Identifier: Apache-2.0
"""What the proofs of mutants take for granted of a block (`given` of the item): wires of its instances that are never on at once.
A proof about the whole block shows it. As cells of RTLIL."""
import block


def cell(kind, name, width, **pins):
    operands = [p for p in pins if p in "AB"]
    wide = [f"    parameter \\{p}_SIGNED 0\n    parameter \\{p}_WIDTH {width}\n" for p in operands]
    return (f"  cell ${kind} {name}\n" + "".join(wide) + "    parameter \\Y_WIDTH 1\n" +
            "".join(f"    connect \\{p} {signal}\n" for p, signal in pins.items()) + "  end\n")


def item():
    return (block.this().item("mutants") or {}).get("given", {})


def below(place):
    """[names of wires that are never on at once] in that instance and those in it, with names from there; `!` is before the name of one
    that is never off. An empty place is the block."""
    def name(at, wire):
        off, plain = ("!" if wire.startswith("!") else ""), f"{at}.{wire.removeprefix('!')}"
        return off + plain.removeprefix(f"{place}." if place else "")

    return [[name(at, wire) for wire in wires] for at, sets in item().get("never", {}).items()
            if not place or f"{at}.".startswith(f"{place}.") for wires in sets]


def all_on(name, wires):
    """A wire that is on while all of these are."""
    text, signals = f"  wire \\{name}\n", []
    for number, wire in enumerate(wires):
        signals.append("\\" + wire.removeprefix("!"))
        if wire.startswith("!"):
            off = f"\\{name}.off{number}"
            text += f"  wire {off}\n" + cell("logic_not", f"{off}.cell", 1, A=signals[-1], Y=off)
            signals[-1] = off
    return text + cell("reduce_and", f"\\{name}.cell", len(wires), A="{ " + " ".join(signals) + " }", Y=f"\\{name}")
