# SPDX-License-Identifier: Apache-2.0
# Says what SARIF 2.1.0 wants and a file has not: required properties, and indices.
import json
import sys
from urllib.parse import urlsplit

log = json.load(open(sys.argv[1], encoding="utf-8"))
wrong = []


def want(what, condition):
    if not condition:
        wrong.append(what)


def message(where, value):
    want(where + ": message.text", isinstance(value.get("message", {}).get("text"), str))


def location(where, value):
    place = value.get("physicalLocation")
    if place is None:
        return
    uri = place["artifactLocation"]["uri"]
    parts = urlsplit(uri)
    want(where + ": uri " + uri, parts.scheme == "file" or not uri.startswith("/"))
    want(where + ": characters of " + uri, uri.isascii() and not set(uri) & set(' "<>\\^`{|}'))
    if "region" in place:
        want(where + ": startLine", place["region"]["startLine"] >= 1)


want("version", log["version"] == "2.1.0")
want("runs", len(log["runs"]) == 1)
for run in log["runs"]:
    driver = run["tool"]["driver"]
    want("driver.name", driver["name"] == "cuaudit")
    for rule in driver["rules"]:
        want("rule.id", isinstance(rule["id"], str))
        want("rule.shortDescription", isinstance(rule["shortDescription"]["text"], str))
    for invocation in run["invocations"]:
        want("executionSuccessful", isinstance(invocation["executionSuccessful"], bool))
        for note in invocation["toolExecutionNotifications"]:
            message("notification", note)
            want("notification.level", note["level"] in ("none", "note", "warning", "error"))
    for result in run["results"]:
        message("result", result)
        want("result.level", result["level"] in ("none", "note", "warning", "error"))
        want("result.ruleIndex", driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"])
        want("result.occurrenceCount", result.get("occurrenceCount", 1) >= 1)
        for where in result["locations"]:
            want("result.physicalLocation", "physicalLocation" in where)
            location("result", where)
        for stack in result.get("stacks", []):
            want("stack.frames", len(stack["frames"]) >= 1)
            for frame in stack["frames"]:
                message("frame", frame["location"])
                location("frame", frame["location"])
print("\n".join(wrong))
