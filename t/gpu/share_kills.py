# SPDX-License-Identifier: Apache-2.0
"""share_kills.py ALONE MOMENTS TIMES TIMES: what two processes that share a device do from 100 to 400 ms after each of
MOMENTS ("SECONDS stop|kill" a line, when another one was stopped or killed), by the TIMES of their rounds. Prints the
least of both together, of ALONE rounds a second, and of one of them; GOOD where both are as fast as they are without
the other one: 90 percent together, 95 over all moments, and neither below 40."""
import bisect
import sys

AFTER, UNTIL = 0.1, 0.4


def rate(times, moment):
    return (bisect.bisect(times, moment + UNTIL) - bisect.bisect(times, moment + AFTER)) / (UNTIL - AFTER)


alone = float(sys.argv[1])
with open(sys.argv[2]) as file:
    moments = [float(line.split()[0]) for line in file]
rounds = []
for path in sys.argv[3:]:
    with open(path) as file:
        rounds.append([float(line) for line in file])
both = [[100 * rate(times, moment) / alone for times in rounds] for moment in moments]
together = [sum(one) for one in both]
least = min(min(one) for one in both)
mean = sum(together) / len(together)
good = min(together) >= 90 and mean >= 95 and least >= 40
print("%s: %d moments, together %.1f %% of alone, least %.1f %%; least of one %.1f %%" %
      ("GOOD" if good else "BAD", len(moments), mean, min(together), least))
