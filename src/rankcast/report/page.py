"""The page: content as markup, with the script, the style and Plotly inside one file."""

import base64
import gzip
import hashlib
import json
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

import numpy as np

from ..backtest import FEWEST_TO_TEST
from ..diagnosis.findings import Finding
from ..extras import need
from .content import Content
from .provenance import facts
from .svg import backtest_picture, curve_picture, law_picture
from .words import count_words, headline_parts, is_share, name_of, sentence, tested_words, value_words

UNTESTED = f"Too few classes were measured to forecast them from a part: measure {FEWEST_TO_TEST} or more."


def page(content: Content) -> str:
    """All of the file. Whatever a user named passes through ``escape`` or :func:`_json`."""
    asked, share = content.asked, is_share(content.asked)
    plotly, script = plotly_script(), _file("page.js")
    name = name_of(asked.metric)
    answer, under = headline_parts(asked, content.focus)
    return Template(_file("page.html")).substitute(
        policy=_policy(plotly, script),
        style=_file("style.css"),
        title=escape(content.title),
        answer=answer,
        under=under,
        cautions="".join(f'<p class="caution">{escape(sentence(text))}</p>' for text in asked.warnings),
        cards=_cards(content),
        metric_pills=_pills("metric", {each: name_of(each) for each in content.curves[asked.method]}, asked.metric),
        method_pills=_pills("method", {each: each for each in content.curves}, asked.method),
        curve_picture=curve_picture(content, f"{name} against the number of classes; the table below has the numbers"),
        level=f"{asked.level:.0%}",
        metric_name=escape(name),
        k1=f"{asked.k1:,}",
        caption=escape(
            f"{name} by {asked.method}, with the {asked.level:.0%} interval for the average over sets of classes"
        ),
        rows=_rows(content),
        capacity_table=_capacity_table(content),
        focus=f"{content.focus:,}",
        overview=_overview(content),
        skipped="".join(
            f'<p class="note">{escape(method)}: {escape(why)}.</p>' for method, why in content.skipped.items()
        ),
        backtest=_backtest(content, share),
        diagnosis=_diagnosis(content),
        law_picture=law_picture(content, f"D(u) by {asked.method}; the table below has some of its numbers"),
        law_table=_law_table(content),
        provenance="".join(_row([key, value]) for key, value in facts(content).items()),
        data=_json(content.numbers()),
        plotly=base64.b64encode(gzip.compress(plotly.encode(), 9, mtime=0)).decode(),
        script=script,
    )


def _file(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def plotly_script() -> str:
    """The script that the Python package ships."""
    text: str = need("plotly.offline", "report").get_plotlyjs()
    return text


def _policy(*scripts: str) -> str:
    """Nothing is loaded from anywhere, and no script runs but these."""
    sums = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in scripts)
    allowed = " ".join(f"'sha256-{each}'" for each in sums)
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _json(value: Any) -> str:
    """JSON that cannot end the element it stands in."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _row(cells: list[str], kind: str = "", how: str = "") -> str:
    first, *rest = (escape(cell) for cell in cells)
    last = f'<td class="how">{escape(how)}</td>' if how else ""
    mark = f' class="{kind}"' if kind else ""
    return f'<tr{mark}><th scope="row">{first}</th>' + "".join(f"<td>{cell}</td>" for cell in rest) + f"{last}</tr>\n"


def _table(heads: list[str], rows: list[list[str]], caption: str = "", kind: str = "") -> str:
    top = "".join(f'<th scope="col">{escape(head)}</th>' for head in heads)
    above = f"<caption>{escape(caption)}</caption>" if caption else ""
    mark = f' class="{kind}"' if kind else ""
    return f"<table{mark}>{above}<thead><tr>{top}</tr></thead><tbody>{''.join(map(_row, rows))}</tbody></table>"


def _pills(group: str, choices: dict[str, str], chosen: str) -> str:
    return "".join(
        f'<label><input type="radio" name="{group}" value="{escape(value)}"{" checked" if value == chosen else ""}>'
        f"<span>{escape(text)}</span></label>"
        for value, text in choices.items()
    )


def _cards(content: Content) -> str:
    """What the answer rests on, in a few words each."""
    evidence, asked = content.evidence, content.asked
    found = content.diagnosis.findings
    made = len(found) + len(content.diagnosis.fine)
    cards = {
        "Measured": f"{value_words(asked.measured, is_share(asked))} on {asked.k1:,} classes, with "
        f"{len(evidence):,} test examples.",
        "Back-test": UNTESTED if content.backtest is None else tested_words(content.backtest, is_share(asked)),
        "Diagnosis": f"{len(found)} of {made} checks found something: {', '.join(found)}."
        if found
        else f"{made} checks of the evidence found nothing.",
    }
    likely = [row for row in content.capacities() if row[0] <= asked.measured]
    if likely:
        target, *classes = likely[0]
        most = int(content.shown.k[-1])
        number, low, high = (count_words(each, most) for each in classes)
        until = f"up to {number}" if np.isfinite(classes[0]) else f"beyond {most:,}"
        name = name_of(asked.metric)
        cards["Capacity"] = f"{name} stays at or above {target:.0%} {until} classes ({low} to {high})."
    return "\n".join(f"<div><h2>{escape(head)}</h2><p>{escape(text)}</p></div>" for head, text in cards.items())


def _rows(content: Content) -> str:
    fc, share = content.shown, is_share(content.asked)
    lines = []
    for k in content.rungs:
        cells = [
            value_words(float(np.interp(np.log(k), np.log(fc.k), each)), share)
            for each in (fc.estimate, fc.low, fc.high)
        ]
        kind = "asked" if k in content.asked.k else ""
        lines.append(_row([f"{k:,}", *cells], kind, "measured" if k <= fc.k1 else "forecast"))
    return "".join(lines)


def _capacity_table(content: Content) -> str:
    most = int(content.shown.k[-1])
    rows = []
    for target, classes, low, high in content.capacities():
        rows.append([f"{target:.0%}", *(count_words(each, most) for each in (classes, low, high))])
    if not rows:
        return ""
    name = name_of(content.asked.metric)
    table = _table(
        ["at least", "up to classes", "low", "high"], rows, f"How many classes until {name} falls below", "capacities"
    )
    return f'<div class="scroll" role="region" aria-label="Capacity" tabindex="0">{table}</div>'


def _overview(content: Content) -> str:
    rows = []
    for method, row in content.curves.items():
        cells = []
        for fc in row.values():
            at, share = int(np.nonzero(fc.k == content.focus)[0][0]), is_share(fc)
            value, low, high = (value_words(float(each[at]), share) for each in (fc.estimate, fc.low, fc.high))
            cells.append(f"{value} ({low} to {high})")
        rows.append([method, *cells])
    heads = ["method", *(name_of(metric) for metric in content.curves[content.asked.method])]
    return _table(heads, rows, f"With the {content.asked.level:.0%} interval for the average")


def _backtest(content: Content, share: bool) -> str:
    result = content.backtest
    if result is None:
        return f"<p>{UNTESTED}</p>"

    def amount(value: float) -> str:
        return f"{100 * value:.1f}" if share else value_words(value, False)

    rows = [
        [
            f"{row['classes']:,} ({result.k1 / row['classes']:.1f}×)",
            amount(row["rmse"]),
            amount(row["bias"]),
            f"{row['coverage'] * row['forecasts']:.0f} of {row['forecasts']}",
            amount(row["width"]),
        ]
        for row in result.summary()
    ]
    unit = ", points" if share else ""
    heads = ["forecast from", f"rms error{unit}", f"bias{unit}", "intervals held", f"mean width{unit}"]
    picture = backtest_picture(content, "Forecasts from fewer classes beside what was measured")
    return (
        f"<p>The forecast by {escape(result.method)} was made again from random parts of your classes, and compared "
        f"with what was measured on all {result.k1:,}. {escape(tested_words(result, share))} Each dot below is such a "
        "forecast with its interval, red if that misses the measured value, the dashed line.</p>"
        f'<figure><div class="chart" id="backtest">{picture}</div></figure>'
        f'<div class="scroll" role="region" aria-label="Table of the back-test" tabindex="0">'
        f"{_table(heads, rows)}</div>"
    )


def _diagnosis(content: Content) -> str:
    result = content.diagnosis
    parts = [_finding(name, each) for name, each in result.findings.items()]
    if result.fine:
        parts.append(f'<p class="fine">Checked and found fine: {escape(", ".join(result.fine))}.</p>')
    parts += [
        f'<p class="fine">Not checked: {escape(name)} ({escape(why)}).</p>' for name, why in result.not_checked.items()
    ]
    parts.append(
        '<p class="fine">No check can see whether the classes to come are like those measured: a forecast is for more '
        "classes of the same kind, drawn at random from the same population.</p>"
    )
    return "\n".join(parts)


def _finding(name: str, finding: Finding) -> str:
    return (
        f'<div class="finding"><h3>{escape(name.capitalize())}</h3><p>{escape(finding.found)}.</p>'
        f"<p><b>What it means.</b> {escape(finding.means)}.</p><p><b>What to do.</b> {escape(finding.do)}.</p></div>"
    )


def _law_table(content: Content) -> str:
    rows = [
        [f"{share:.4g}".rstrip("0") if share < 0.001 else f"{share:.1%}", f"{100 * u:.7g}%"]
        for share, u in content.shares()
    ]
    return _table(["share of examples", "have a favourability of at most"], rows)
