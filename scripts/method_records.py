"""Put each method's errors on real data into its page, from the stored benchmark."""

import json
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STORED = ROOT / "benchmarks" / "results" / "methods_on_data.json"
START, END = "<!-- record -->\n", "<!-- /record -->"
SIMULATED = "Gaussian σ²=0.1"


def rows(method: str) -> list[str]:
    """RMSE and bias of the method on each extrapolation, beside the best of all methods."""
    stored = json.loads(STORED.read_text(encoding="utf-8"))["result"]
    found: dict[tuple[str, int, int], dict[str, tuple[float, float, float]]] = {}
    for row in stored:
        for k2, *figures in zip(row["k2"], row["truth"], row["rmse"], row["bias"], strict=True):
            found.setdefault((row["data"], row["k1"], k2), {})[row["method"]] = tuple(figures)
    lines = ["| data, k₁ → k₂ | truth | RMSE | bias | best of all |", "|---|---|---|---|---|"]
    for (data, k1, k2), methods in found.items():
        if data.startswith("Gaussian") and data != SIMULATED:
            continue
        truth, rmse, bias = methods[method]
        best = min(methods, key=lambda name: methods[name][1])
        lines.append(
            f"| {data} {k1:,} → {k2:,} | {truth:.3f} | {rmse:.3f} | {bias:+.3f} | {methods[best][1]:.3f} (`{best}`) |"
        )
    return lines


def main() -> None:
    """Rewrite what stands between the two markers."""
    for page in sorted((ROOT / "docs" / "methods").glob("*.md")):
        before, rest = page.read_text(encoding="utf-8").split(START)
        after = rest.split(END)[1]
        table = "\n".join(rows(page.stem))
        source = "[every method on every data set](../../benchmarks/results/methods_on_data.md)"
        note = f"RMSE and bias over 20 draws (Telugu: five seeds), from {source}."
        page.write_text(f"{before}{START}{note}\n\n{table}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
