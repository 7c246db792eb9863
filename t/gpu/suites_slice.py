# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin: runs items FIRST to LAST of a file (SUITES_ITEMS=FIRST:LAST, or FIRST: to its end) in
their own order and writes "ID<tab>outcome" of each to the file SUITES_RESULTS names."""
import os

import pytest

FIRST, LAST = (int(n) if n else None for n in os.environ["SUITES_ITEMS"].split(":"))
results = open(os.environ["SUITES_RESULTS"], "w", buffering=1, encoding="utf-8", errors="backslashreplace")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    items[:] = items[FIRST:LAST]


def pytest_runtest_logreport(report):
    outcome = ("x" if hasattr(report, "wasxfail") else "") + report.outcome
    if report.when == "call" or report.outcome != "passed":
        when = "" if report.when == "call" else report.when + "-"
        results.write(f"{report.nodeid.encode('unicode_escape').decode()}\t{when}{outcome}\n")
