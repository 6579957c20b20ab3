"""Run benchmarks by name, or all of them, and store their results."""

import importlib
import importlib.metadata
import json
import os
import pkgutil
import platform
import sys
import time
from pathlib import Path

import numpy as np
import scipy

import rankcast

HERE = Path(__file__).parent
RESULTS = HERE / "results"


def machine() -> dict[str, object]:
    """What the figures were measured on."""
    return {
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "rankcast": importlib.metadata.version(rankcast.__name__),
    }


def main(names: list[str]) -> None:
    """Measure, print and store."""
    known = sorted(found.name for found in pkgutil.iter_modules([str(HERE)]) if not found.name.startswith("_"))
    unknown = set(names) - set(known)
    if unknown:
        sys.exit(f"unknown benchmark {', '.join(sorted(unknown))}: choose from {', '.join(known)}")
    RESULTS.mkdir(exist_ok=True)
    for name in names or known:
        module = importlib.import_module(f"benchmarks.{name}")
        if hasattr(module, "missing") and module.missing():
            print(f"{name} is left out: it needs Debian's {', '.join(module.missing())}\n")
            continue
        started = time.perf_counter()
        result = module.run()
        took = time.perf_counter() - started
        page = f"{module.page(result).rstrip()}\n\nMade by `python -m benchmarks {name}` in {took:.0f} s.\n"
        print(page)
        stored = {"machine": machine(), "seconds": round(took, 1), "result": result}
        (RESULTS / f"{name}.json").write_text(json.dumps(stored, indent=1) + "\n")
        (RESULTS / f"{name}.md").write_text(page)


if __name__ == "__main__":
    main(sys.argv[1:])
