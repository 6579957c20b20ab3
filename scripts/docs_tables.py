"""Put figures of the stored benchmarks, and a forecast, into the docs, between the two markers of a page."""

import json
from pathlib import Path
from typing import Any

from rankcast import forecast
from rankcast.datasets import han

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
START, END = "<!-- record -->\n", "<!-- /record -->"
SIMULATED = "Gaussian σ²=0.1"


def stored(benchmark: str) -> Any:
    """The result of a benchmark."""
    return json.loads((RESULTS / f"{benchmark}.json").read_text(encoding="utf-8"))["result"]


def method_table(method: str) -> str:
    """RMSE and bias of the method on each extrapolation, beside the best of all methods."""
    found: dict[tuple[str, int, int], dict[str, tuple[float, float, float]]] = {}
    for row in stored("methods_on_data"):
        for k2, *figures in zip(row["k2"], row["truth"], row["rmse"], row["bias"], strict=True):
            found.setdefault((row["data"], row["k1"], k2), {})[row["method"]] = tuple(figures)
    source = "[every method on every data set](../../benchmarks/results/methods_on_data.md)"
    lines = [
        f"RMSE and bias over 20 draws (Telugu: five seeds), from {source}.",
        "",
        "| data, k₁ → k₂ | truth | RMSE | bias | best of all |",
        "|---|---|---|---|---|",
    ]
    for (data, k1, k2), methods in found.items():
        if data.startswith("Gaussian") and data != SIMULATED:
            continue
        truth, rmse, bias = methods[method]
        best = min(methods, key=lambda name: methods[name][1])
        lines.append(
            f"| {data} {k1:,} → {k2:,} | {truth:.3f} | {rmse:.3f} | {bias:+.3f} | {methods[best][1]:.3f} (`{best}`) |"
        )
    return "\n".join(lines)


def metrics_table() -> str:
    """RMSE of the default method for each metric, beside the best of all methods."""
    lines = ["| data, k₁ → k₂ | metric | truth | `auto` | best of all | `auto` is level |", "|---|---|---|---|---|---|"]
    for row in stored("metrics_on_data"):
        best = min(row["rmse"], key=lambda name, rmse=row["rmse"]: rmse[name])
        level = "yes" if "auto" in row["level"] else "no"
        lines.append(
            f"| {row['data']} {row['k1']:,} → {row['k2']:,} | `{row['metric']}` | {row['truth']:.3f} "
            f"| {row['rmse']['auto']:.4f} | {row['rmse'][best]:.4f} (`{best}`) | {level} |"
        )
    return "\n".join(lines)


def interval_example() -> str:
    """A forecast, and its interval in words."""
    found = forecast(han.evidence(), 10_000, rng=0)
    value, low, high = (f"{float(each[0]):.2f}" for each in (found.estimate, found.low, found.high))
    lines = [
        "```text",
        str(found),
        "```",
        "",
        "*If you measured 10,000 classes like these 300, again and again with other classes, the average accuracy",
        f"would be about {value}, and we are 90% sure that it lies between {low} and {high}.*",
    ]
    return "\n".join(lines)


def put(page: Path, text: str) -> None:
    """Rewrite what stands between the two markers."""
    before, rest = page.read_text(encoding="utf-8").split(START)
    after = rest.split(END)[1]
    page.write_text(f"{before}{START}{text}\n{END}{after}", encoding="utf-8")


def main() -> None:
    """Every page that has figures."""
    for page in sorted((ROOT / "docs" / "methods").glob("*.md")):
        put(page, method_table(page.stem))
    put(ROOT / "docs" / "metrics.md", metrics_table())
    put(ROOT / "docs" / "intervals.md", interval_example())


if __name__ == "__main__":
    main()
