#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""verify.py BLOCK: the verification of a block, one table at the end; status 1 if something falls short."""
import argparse
import concurrent.futures
import contextvars
import sys
import time

sys.dont_write_bytecode = True

import block  # noqa: E402
import description  # noqa: E402
import items  # noqa: E402
import models  # noqa: E402
import page  # noqa: E402
import place  # noqa: E402
import rows  # noqa: E402
import simulations  # noqa: E402


def chosen_block(words):
    """The block that the first word names; anything else is one line and status 2."""
    if not words or words[0].startswith("-"):
        sys.exit(refused(f"a block is wanted: {' '.join(block.names())}"))
    try:
        this = block.use(words[0])
        this.check_parameters()
        return this
    except place.Failed as failed:
        sys.exit(refused(failed))


class Arguments(argparse.ArgumentParser):
    """A mistake is one line; argparse would print its usage first."""

    def error(self, message):
        sys.exit(refused(message.removeprefix("argument ")))


def item_of(this):
    """The check of --only ITEM."""
    names = list(this.given["items"])

    def check(word):
        if word in names:
            return word
        raise argparse.ArgumentTypeError(f"no item '{word}'{description.nearest(word, names, chr(39))}; there are {', '.join(names)}")
    return check


def refused(text):
    place.say(f"verify: {text}")
    return 2


def arguments(this, words):
    names = list(this.given["items"])
    parser = Arguments(prog=f"./contraflow verify {this.name}",
                       description=f"Verifies a block of rtl/: {this.title}.")
    parser.add_argument("--nightly", action="store_true", help="more seeds, cycles, proofs and mutants")
    parser.add_argument("--seed", type=int, help="the first seed of the random tests, and of what is drawn: parameter sets, "
                        "mutants of the block; 1 if not given, at night the date, so that each night draws others")
    parser.add_argument("--only", metavar="ITEM", action="append", type=item_of(this),
                        help="this item alone (several are possible): " + ", ".join(names))
    parser.add_argument("--update-equivalents", action="store_true",
                        help="write the list of equivalent mutants from what this run shows")
    parser.add_argument("--update-plan", action="store_true", help="write the page of the plan from what this run shows")
    return parser.parse_args(words)


def run_item(name, options):
    begin = time.monotonic()
    place.ITEM.set(name)
    try:
        result = rows.result(name, options)
    except place.Failed as failed:
        result = [items.Row(name, "runs", "does not run", False, str(failed).splitlines())]
    place.say(f"verify: {name}: {'; '.join(r.verdict for r in result)} ({time.monotonic() - begin:.0f} s, "
              f"{place.SPENT[name]:.0f} s of a core)")
    for row in result:
        if not row.ok:
            for line in row.details[:20]:
                place.say(f"    {line}")
    return result


def main(words):
    this = chosen_block(words)
    given = arguments(this, words[1:])
    options = items.Options(given.nightly, items.seed_of(given), given.update_equivalents, given.update_plan)
    place.say(f"verify: seed {options.seed}; again: ./contraflow verify {this.name} --seed {options.seed}"
              + (" --nightly" if options.nightly else ""))
    this.sample(options.seed, options.nightly)
    for name in this.sets:
        if name.startswith("sampled"):
            place.say(f"verify: {name}: " + ", ".join(f"{key} {value}" for key, value in this.sets[name].items()))
    simulations.begin(options.seed)
    models.begin(options.nightly)
    if not given.only:
        place.say("verify: building the bench and the block with its parameter sets")
        place.ITEM.set("build")
        try:
            models.build_all()
        except place.Failed as failed:
            sys.exit(f"verify: {failed}")
        place.say(f"verify: built ({place.SPENT['build']:.0f} s of a core)")
    names = [name for name in rows.ITEMS if name in (given.only or this.given["items"])]
    later = [name for name in names if not (options.nightly or given.only) and this.item(name).get("nightly")]
    names = [name for name in names if name not in later]
    # Two groups of items in parallel: those that need the runs of the bench, and the others.
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        beside = {name: pool.submit(contextvars.copy_context().run, run_item, name, options) for name in names if name in rows.APART}
        here = {name: run_item(name, options) for name in names if name not in beside}
        table = [row for name in names for row in (here[name] if name in here else beside[name].result())]
    about = f"{'nightly' if options.nightly else 'minutes'}, seed {options.seed}, {place.cpu_seconds():.0f} CPU seconds"
    where = page.write(table, about)
    print(page.as_text(table))
    if not options.nightly and (this.item("coverage") or {}).get("toggles_nightly"):
        later.append("coverage of port toggles")
    if later:
        print(f"with --nightly only: {', '.join(later)}")
    for what, why in this.lacks.items():
        print(f"not there: {what}: {why}")
    place.say(f"verify: {about}; {place.relative(where)}")
    return 0 if all(row.ok for row in table) else 1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except OSError as cannot:  # a checkout that cannot be written, a full disk
        print(f"verify: {cannot.filename or 'a file'}: {cannot.strerror}", file=sys.stderr)
        sys.exit(2)
