"""Make the README's picture, and put the demo's output into the README between its two markers."""

from pathlib import Path

from rankcast.demo import run

ROOT = Path(__file__).resolve().parents[1]
START, END = "<!-- demo -->\n", "<!-- /demo -->"


def main() -> None:
    """Run the demo and update the README."""
    text = run(ROOT / "docs" / "img" / "demo.png")
    readme = ROOT / "README.md"
    before, rest = readme.read_text(encoding="utf-8").split(START)
    after = rest.split(END)[1]
    readme.write_text(f"{before}{START}```text\n{text}\n```\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
