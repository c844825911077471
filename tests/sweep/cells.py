# SPDX-License-Identifier: Apache-2.0
"""cells.py SWEEP: whether the table, the figure and sweep.csv of that sweep of probe are what its points have left."""
import csv
import glob
import json
import sys

sweep = sys.argv[1]
with open(f"{sweep}/report.json", encoding="utf-8") as f:
    report = json.load(f)
with open(f"{sweep}/sweep.csv", encoding="utf-8", newline="") as f:
    lines = list(csv.DictReader(f))
items = {item["id"]: item for section in report["sections"] for item in section["items"]}
names = [column["name"] for column in items["points"]["columns"]]
cells = [dict(zip(names, row)) for row in items["points"]["rows"]]
rows = report["results"]["rows"]
assert len(rows) == len(cells) == len(lines) > 10, (len(rows), len(cells), len(lines))
drawn = {(series["name"], x): y for series in items["figure-1"]["series"] for x, y in series["points"]}
assert len(drawn) == len(rows), drawn
for row, cell, line in zip(rows, cells, lines):
    (point,) = glob.glob(f"{sweep}.points/{row['point']}-*/report.json")
    with open(point, encoding="utf-8") as f:
        left = json.load(f)["results"]
    assert left["product"] == row["product"] == cell["product"] == int(line["product (B)"]), (left, row, cell, line)
    share = left["detail"]["share"]
    assert share == row["detail.share"] == cell["detail.share"] == float(line["detail.share"]), (left, row, cell, line)
    assert row["product"] == row["size"] * 1024 * row["factor"], row
    assert cell["size"] == row["size"] == int(line["size (KiB)"]), (row, cell, line)
    assert cell["status"] == row["status"] == line["status"] == "finished", (row, cell, line)
    assert drawn[f"factor {row['factor']}", row["size"]] == row["product"], (row, drawn)
