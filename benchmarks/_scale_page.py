"""The page of the scale benchmark."""

from typing import Any


def page(result: dict[str, Any]) -> str:
    rows, columns = result["tile"]
    cut = " Sizes are cut (`RANKCAST_SHORT=1`)." if result["short"] else ""
    counted = "by numba" if result["numba"] else "without numba"
    return f"""# Scale

One thread, CPU seconds, unless it says otherwise. Peers are measured in the same process as we are, in turn.{cut}
Tiles are {rows} × {columns}, counted {counted} in the first table.
The load was {result["load"]:.1f} at the start: other work disturbs the caches.

{_products(result["products"])}
{_others(result)}
{_growth(result["growth"])}
{_cost(result["products"])}"""


def _products(rows: list[dict[str, Any]]) -> str:
    lines = [
        "## Rank counting, float32\n",
        "The goals: 85% of the speed of the bare BLAS product of the same tiles, and never slower than chunked numpy\n"
        "`(p @ g.T < t).sum(axis=1)`. All three were measured in turn, round after round: mean seconds, and ratios of\n"
        "the least disturbed rounds (of the means in brackets). The last column: probes that numpy miscounts.\n",
        "| d | pairs | fused | bare product | of its speed | chunked numpy | times faster | it miscounts |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        best, mean = best_and_mean(row)
        lines.append(
            f"| {row['d']} | {row['pairs']:.0e} | {mean['fused']:.1f} s | {mean['bare']:.1f} s | "
            f"{best['bare'] / best['fused']:.0%} ({mean['bare'] / mean['fused']:.0%}) | {mean['plain']:.1f} s | "
            f"{best['plain'] / best['fused']:.2f}× ({mean['plain'] / mean['fused']:.2f}×) | "
            f"{row['plain_wrong']:.1%} |"
        )
    return "\n".join(lines) + "\n"


def best_and_mean(row: dict[str, Any]) -> tuple[dict[str, float], dict[str, float]]:
    """Seconds of the fastest round, and of a round on average."""
    times = row["times"]
    return {name: min(t) for name, t in times.items()}, {name: sum(t) / len(t) for name, t in times.items()}


def _others(result: dict[str, Any]) -> str:
    search, small, workers = result["search"], result["small"], result["workers"]
    rows = [] if search is None else [_search(search)]
    rows += [
        (
            f"5000 × 5000 at d = 10: {small['ours_10']:.3f} s; the authors' R takes {small['r_ranks']} s for the ranks "
            "alone, scores given",
            f"> {small['r_ranks'] / small['ours_10']:.0f}×",
            "5×",
        ),
        (
            f"5000 × 5000 at d = 128: {small['ours_128']:.3f} s; R from embeddings {small['r_embeddings']} s",
            f"{small['r_embeddings'] / small['ours_128']:.0f}×",
            "",
        ),
        (
            "2000 bootstrap replicates of the ClassExReg forecast at k₁ = 5000",
            f"{small['bootstrap']:.1f} s",
            "under 60 s",
        ),
        (
            f"two Dask worker processes of one thread against one, wall time: {workers['two']:.1f} and "
            f"{workers['one']:.1f} s (load {workers['load']:.1f} on {workers['cores']:.0f} cores)",
            f"{workers['one'] / workers['two']:.2f}×",
            "1.7×",
        ),
    ]
    table = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join(["## Against others\n", "| task | measured | goal |", "|---|---|---|", *table]) + "\n"


def _search(found: dict[str, float]) -> tuple[str, str, str]:
    task = (
        f"exact faiss search (flat, inner product) of {found['probes']} probes in {found['gallery']:,} vectors at "
        f"d = 128, {found['depth']:,} deep to find every rank: {found['faiss']:.2f} s, ours {found['ours']:.3f} s; "
        f"the same for {found['agree']:.0%} of the probes"
    )
    return task, f"{found['faiss'] / found['ours']:.0f}×", "10×"


def _growth(rows: list[dict[str, float]]) -> str:
    lines = [
        "## Growth\n",
        'd = 8, `memory="100MB"`. Memory is the peak beside what the process held with its inputs; labels, counts and\n'
        "their bookkeeping are in it.\n",
        "| pairs | probes × gallery | seconds | ns per pair | memory |",
        "|---|---|---|---|---|",
    ]
    for row in rows:
        lines.append(
            f"| {row['pairs']:.0e} | {row['probes']:,} × {row['gallery']:,} | {row['seconds']:.2f} | "
            f"{row['seconds'] / row['pairs'] * 1e9:.2f} | {row['mb']:.0f} MB |"
        )
    return "\n".join(lines) + "\n\n![Time against pairs](../../docs/img/scale.png)\n"


def _cost(rows: list[dict[str, Any]]) -> str:
    row = rows[-1]
    rate = row["pairs"] / best_and_mean(row)[0]["fused"]
    hours = 1e14 / rate / 3600
    return f"""## On paper: 1M probes × 100M classes × 512 dimensions

At the measured {rate / 1e6:.0f} million pairs per second and core, 10¹⁴ pairs take {hours:,.0f} core hours:

| machines of 64 cores | hours |
|---|---|
| 1 | {hours / 64:.1f} |
| 4 | {hours / 256:.1f} |
| 16 | {hours / 1024:.2f} |

The gallery is 102 GB in float16, read once in all; the probes are 1 GB, read again for each shard. Counts are 16 MB for
each task, added up in a tree. A random design is usually enough: 20,000 probes (`max_probes=`) against 1M classes
(`max_rivals=`) are 2·10¹⁰ pairs, {2e10 / rate / 60:.0f} core minutes.
"""
