# SPDX-License-Identifier: Apache-2.0
"""A leak report in a few lines: errors, then what is left by kind and library."""
import json
import sys

report = json.load(open(sys.argv[1]))


def name(site):
    return "%s %s" % (site["function"], site["library"].rsplit("/", 1)[-1]) if site else "nowhere"


for e in report["errors"]:
    print("error", e["error"], e["count"], e.get("result", ""), e["what"], name(e),
          "allocated", name(e.get("allocated")), "freed", name(e.get("freed")))
sums = {}
for l in report["left"]:
    key = (l["what"].replace(" ", "-"), l["library"].rsplit("/", 1)[-1])
    count, size = sums.get(key, (0, 0))
    sums[key] = count + l["count"], size + l["bytes"]
for key, value in sorted(sums.items()):
    print("left", *key, *value)
print("allocated", report["allocated"], "freed", report["freed"], "unseen", report["unseen_ends"],
      "lost", report["lost_objects"])
