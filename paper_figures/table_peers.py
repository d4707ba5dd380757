"""What a user would pick instead, on the same ensembles: time, memory, objective and accuracy; and the minimum of GV3.

"times ours" is the median, over ensembles, of the ratio to one start of ours. The objective is that of the hard labels
for equal weights, over n squared.
"""

from .peers import OURS, WHY, added, by_task, median, ratio, seconds, stopped

EXPERIMENT = "peers"


def main(records):
    """Markdown: a row per task and way; the memberships that minimise what GV3 does; the packages."""
    tasks = by_task(records)
    return "\n".join([*_ways(tasks), "", *_memberships(tasks), "", *_packages(records)])


def _ways(tasks):
    yield (
        "| objects | partitions | way | seconds | times ours | memory added, MiB | times ours | objective "
        "| adjusted Rand index | H |"
    )
    yield "|---" * 10 + "|"
    for (n, m), ways in tasks.items():
        for way, results in ways.items():
            why = stopped(results)
            yield f"| {n:,} | {m} | {way} | " + (f"{WHY[why]} |" + " |" * 6 if why else _numbers(results, ways[OURS]))


def _numbers(results, ours):
    objective, ari, h = (median(results, lambda result, name=name: result[name]) for name in ("hard", "ari", "h"))
    # Ours may fit in what reading the labels has freed.
    times_memory = f"{ratio(results, ours, added):.1f}" if min(map(added, ours.values())) >= 2**20 else ""
    return (
        f"{median(results, seconds):.3g} | {ratio(results, ours, seconds):.2f} | {median(results, added) / 2**20:.0f} "
        f"| {times_memory} | {objective:.5f} | {ari:.3f} | {h:.3f} |"
    )


def _memberships(tasks):
    """How far above the lowest membership that any way found, in the share of |Y'Y - A|^2, and how fast."""
    yield "| objects | partitions | membership by | seconds | clue, GV3 takes times this | above the lowest, relative |"
    yield "|---" * 6 + "|"
    for (n, m), ways in tasks.items():
        soft = {
            way: results
            for way, results in ways.items()
            if not stopped(results) and all(result["relaxed"] is not None for result in results.values())
        }
        for way, results in soft.items():
            lowest = {i: min(other[i]["relaxed"] for other in soft.values() if i in other) for i in results}
            above = max(result["relaxed"] / lowest[i] - 1.0 for i, result in results.items())
            times = f"{ratio(soft['clue, GV3'], results, seconds):.1f}" if "clue, GV3" in soft else ""
            yield f"| {n:,} | {m} | {way} | {median(results, seconds):.3g} | {times} | {above:.1e} |"


def _packages(records):
    yield "| way | version | licence | where it fails, with |"
    yield "|---" * 4 + "|"
    for way in dict.fromkeys(record["config"]["way"] for record in records):
        results = [record["result"] for record in records if record["config"]["way"] == way]
        messages = dict.fromkeys(_last_line(result["message"]) for result in results if result["stopped"] == "error")
        version = results[0]["version"] or "not installed"
        yield f"| {way} | {version} | {results[0]['licence']} | {'; '.join(messages)} |"


def _last_line(message):
    return message.splitlines()[-1].replace("|", "/") if message else ""
