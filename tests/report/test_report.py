"""What is in a report: the numbers of the functions it shows, and nothing that its user strings could add."""

import re
import sys
from html import unescape
from html.parser import HTMLParser

import numpy as np
import pytest

import rankcast as rc
from rankcast import Evidence, forecast
from rankcast.errors import FarExtrapolationWarning, InputError, MissingExtraError
from rankcast.forecast import forecasts
from rankcast.metrics import get_metric
from rankcast.report.words import value_words

QUICK = {"method": "gaussian", "methods": (), "metrics": (), "repetitions": 1, "replicates": 20, "rng": 0}


class Elements(HTMLParser):
    """Tags in order, attributes, and the text outside scripts and styles."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.text = [], [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, *pair) for pair in attrs]

    def handle_data(self, data):
        if self.tags[-1:] not in (["script"], ["style"]):
            self.text += data


@pytest.fixture(scope="module")
def text(report_file):
    return report_file.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def elements(text):
    return Elements(text)


class TestNumbers:
    def test_are_those_of_forecast(self, nasty_evidence, numbers):
        expected = forecast(nasty_evidence, [200, 5000], "top5", "mixture", rng=0, replicates=50).along()
        found = numbers["curves"]["mixture"]["top5"]
        assert numbers["k"] == expected.k.tolist()
        np.testing.assert_allclose(found["value"], expected.estimate, rtol=1e-5)
        np.testing.assert_allclose(found["low"], expected.low, rtol=1e-5)
        np.testing.assert_allclose(found["one_high"], expected.interval(method="one-set")[1], rtol=1e-5)

    def test_headline(self, nasty_evidence, text):
        made = forecast(nasty_evidence, [200, 5000], "top1", "gaussian", rng=0, replicates=50)
        value, low, high = (value_words(float(each[1]), True) for each in (made.estimate, made.low, made.high))
        assert f"On 5,000 classes, expect top-1 accuracy of <strong>{value}</strong>" in text
        assert f"90% interval: {low} to {high}, at 100 times the 50 classes measured." in text

    def test_backtest(self, nasty_evidence, text):
        expected = rc.backtest(nasty_evidence, method="gaussian", rng=0, repetitions=2)
        row = expected.summary()[0]
        assert re.search(rf'<th scope="row">25 \(2.0×\)</th><td>{100 * row["rmse"]:.1f}</td>', text)

    def test_capacity(self, nasty_evidence, numbers, text):
        k, value = np.array(numbers["k"]), np.array(numbers["curves"]["gaussian"]["top1"]["value"])
        (classes,) = re.search(r'<th scope="row">80%</th><td>([\d,]+)</td>', text).groups()
        at = float(np.interp(np.log(int(classes.replace(",", ""))), np.log(k), value))
        assert at == pytest.approx(0.8, abs=0.002)

    def test_what_was_measured_stands_in_the_table(self, nasty_evidence, text):
        assert re.search(rf'<th scope="row">50</th><td>{nasty_evidence.accuracy:.1%}</td>.*measured', text)

    def test_the_law_rises_to_where_it_ends(self, numbers):
        assert np.all(np.diff(numbers["law"]["methods"]["mixture"]) >= 0)


class TestUserStrings:
    def test_add_no_element(self, elements):
        assert elements.tags.count("script") == 3
        assert "img" not in elements.tags

    def test_add_no_handler_and_no_address(self, elements):
        assert not [name for _, name, _ in elements.attributes if name.startswith("on")]
        addresses = [value for _, name, value in elements.attributes if name in ("href", "src")]
        assert addresses == ["data:,", "#answer"]

    def test_are_shown_as_they_are(self, elements, text, nasty):
        assert f"Title {nasty}" in elements.text
        assert f"folder/{nasty}.npz" in elements.text
        assert f"{nasty}0 and {nasty}1" in unescape(text[text.index("Look-alikes") :])

    def test_come_back_from_the_data(self, numbers, nasty):
        assert numbers["metrics"][nasty]["name"] == nasty


def test_nothing_is_loaded_and_only_these_scripts_run(text, elements):
    (policy,) = [value for tag, name, value in elements.attributes if tag == "meta" and value.startswith("default-src")]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy.partition("script-src")[2].partition(";")[0]


def test_size(report_file):
    assert report_file.stat().st_size < 6e6


def test_several_metrics_are_each_what_it_is_alone(nasty_evidence):
    several = forecasts(nasty_evidence, 900, ["top1", "mrr"], "kde-ucv", rng=4, replicates=20)
    for made in several:
        alone = forecast(nasty_evidence, 900, made.metric, "kde-ucv", rng=4, replicates=20)
        np.testing.assert_array_equal(made.draws, alone.draws)


def test_several_metrics_by_auto_are_each_what_it_is_alone(nasty_evidence):
    several = forecasts(nasty_evidence, 900, ["mean_rank", "mrr"], rng=4, replicates=20)
    for made in several:
        alone = forecast(nasty_evidence, 900, made.metric, rng=4, replicates=20)
        np.testing.assert_array_equal(made.draws, alone.draws)


class TestSettings:
    def test_ranks_alone_leave_out_what_needs_scores(self, tmp_path):
        evidence = Evidence.from_ranks(np.random.default_rng(0).geometric(0.4, 80), candidates=100)
        rc.report(evidence, tmp_path / "r.html", **{**QUICK, "methods": ("kde-ucv",)})
        text = (tmp_path / "r.html").read_text(encoding="utf-8")
        assert "kde-ucv: needs scores, and this evidence holds ranks only." in text

    def test_by_default_ten_times_the_classes(self, measured, tmp_path):
        made = rc.report(measured, tmp_path / "r.html", **QUICK)
        assert made.headline.startswith("On 600 classes, expect")
        assert re.search(r"r\.html: \d\.\d MB, open it in a browser$", str(made))
        assert made.to_dict()["bytes"] == (tmp_path / "r.html").stat().st_size

    def test_few_classes(self, tmp_path):
        evidence = Evidence.from_ranks([1, 2, 1, 3, 1], candidates=10)
        rc.report(evidence, tmp_path / "r.html", **QUICK)
        text = (tmp_path / "r.html").read_text(encoding="utf-8")
        assert "Only 10 classes were measured, too few to extrapolate: measure 20 or more." in text
        assert "Too few classes were measured to forecast them from a part" in text

    def test_a_metric_that_grows(self, measured, tmp_path):
        made = rc.report(measured, tmp_path / "r.html", **{**QUICK, "metric": "mean_rank"})
        assert "a mean rank of" in made.headline

    def test_of_a_forecast(self, measured, tmp_path, monkeypatch):
        made = forecast(measured, 400, "mrr", "gaussian", level=0.8, rng=7, replicates=20)
        given = {}
        monkeypatch.setattr(
            sys.modules["rankcast.report.build"], "report", lambda *words, **more: given.update(words=words, **more)
        )
        made.report(tmp_path / "r.html", title="T")
        evidence, path, k, metric, method, level, seed = given.pop("words")
        assert (evidence, path, metric, method.name, level, seed) == (
            measured, tmp_path / "r.html", get_metric("mrr"), "gaussian", 0.8, 7,
        )  # fmt: skip
        assert k.tolist() == [400]
        assert given == {"replicates": 20, "title": "T"}

    def test_warnings_are_on_the_page(self, measured, tmp_path, recwarn):
        rc.report(measured, tmp_path / "r.html", 10**6, **QUICK)
        assert not [each for each in recwarn if issubclass(each.category, FarExtrapolationWarning)]
        assert "times the 60 classes measured, beyond what has been tested" in (tmp_path / "r.html").read_text("utf-8")


class TestErrors:
    def test_no_such_folder(self, measured, tmp_path):
        with pytest.raises(InputError, match=r"none/r\.html: cannot be written \(no such folder\)"):
            rc.report(measured, tmp_path / "none" / "r.html")

    def test_folder(self, measured, tmp_path):
        with pytest.raises(InputError, match="is a folder"):
            rc.report(measured, tmp_path)

    def test_no_evidence(self, tmp_path):
        with pytest.raises(InputError, match="takes an Evidence, not int"):
            rc.report(3, tmp_path / "r.html")

    def test_without_plotly(self, measured, tmp_path, monkeypatch):
        monkeypatch.setitem(sys.modules, "plotly.offline", None)
        with pytest.raises(MissingExtraError, match=r"'rankcast\[report\]'"):
            rc.report(measured, tmp_path / "r.html")
        assert not list(tmp_path.iterdir())
