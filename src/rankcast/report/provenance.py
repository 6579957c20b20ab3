"""Where a report comes from: what it takes to make it again."""

from importlib.metadata import version

from .content import Content


def facts(content: Content) -> dict[str, str]:
    """What was read, how, with what, and when."""
    evidence, asked = content.evidence, content.asked
    given = asked.provenance
    versions = {**given["versions"], "plotly": version("plotly")}
    candidates = sorted({int(evidence.rivals.min()) + 1, int(evidence.rivals.max()) + 1})
    return {
        **({} if content.source is None else {"File": content.source}),
        "Evidence": f"{evidence.k1:,} classes, {len(evidence):,} test examples, each among "
        + " to ".join(f"{number:,}" for number in candidates)
        + (" classes, with scores" if evidence.scores is not None else " classes, ranks only"),
        "Averages": f"each {evidence.weighting} counts the same",
        "Fingerprint": str(given["evidence"]),
        "Asked for": f"{asked.metric} by {asked.method} at k = {', '.join(f'{k:,}' for k in asked.k.tolist())}",
        "Settings": str(given["settings"]),
        "Interval": f"{asked.level:.0%}, from {given['replicates']} replicates",
        "Seed": str(given["seed"]),
        "Versions": ", ".join(f"{name} {number}" for name, number in versions.items()),
        "Made": f"{content.made:%Y-%m-%d %H:%M} UTC, in {content.seconds:.0f} s",
    }
