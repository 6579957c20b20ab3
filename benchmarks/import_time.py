"""Time to import rankcast and to show its help, beside importing numpy and scipy alone."""

import resource
import subprocess
import sys
import time

TIMES = 7
TASKS = {
    'python -c "pass"': ["-c", "pass"],
    'python -c "import numpy, scipy"': ["-c", "import numpy, scipy"],
    'python -c "import rankcast"': ["-c", "import rankcast"],
    "rankcast --help": ["-c", "from rankcast.cli import main; main()", "--help"],
    "rankcast --version": ["-c", "from rankcast.cli import main; main()", "--version"],
    'python -c "from rankcast import forecast"': ["-c", "from rankcast import forecast"],
}
GOALS = {'python -c "import rankcast"': 0.3, "rankcast --help": 0.5}


def _once(words: list[str]) -> tuple[float, float]:
    """Seconds on the clock and of the processor."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL)
    taken = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return taken, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run() -> dict[str, dict[str, float]]:
    # in turns, so that a busy moment hits all alike; the first turn fills the caches and is not counted
    turns = [{name: _once(words) for name, words in TASKS.items()} for _ in range(TIMES + 1)][1:]
    return {
        name: {"seconds": min(turn[name][0] for turn in turns), "cpu_seconds": min(turn[name][1] for turn in turns)}
        for name in TASKS
    }


def page(result: dict[str, dict[str, float]]) -> str:
    lines = [
        "# Time to start",
        "",
        f"Best of {TIMES}, Python's own start included. Processor seconds hardly depend on what else the machine does;",
        "seconds on the clock do.",
        "",
        "| command | seconds | CPU seconds | goal |",
        "|---|---|---|---|",
    ]
    for name, each in result.items():
        goal = f"under {GOALS[name]} s" if name in GOALS else ""
        lines.append(f"| `{name}` | {each['seconds']:.2f} | {each['cpu_seconds']:.2f} | {goal} |")
    return "\n".join(lines)
