"""Pictures: drawn without a display, saved whole."""

import sys

import numpy as np
import pytest
from matplotlib.figure import Figure

from rankcast import forecast
from rankcast.errors import InputError, MissingExtraError


@pytest.fixture(scope="module")
def made(measured):
    return forecast(measured, [100, 5000], rng=0, replicates=20)


def test_shows_the_measured_curve_the_forecast_and_the_band(made):
    ax = made.plot()
    assert isinstance(ax.get_figure(), Figure)
    assert ax.get_xscale() == "log"
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["90% interval", "measured, up to 60 classes", "forecast (auto)"]
    measured = ax.lines[0].get_xydata()
    assert measured[:, 0].max() == 60
    np.testing.assert_array_equal(measured[:, 1], made.path.estimate[made.path.k <= 60])
    points = ax.lines[2].get_xydata()
    np.testing.assert_array_equal(points, np.c_[made.k, made.estimate])


def test_pyplot_is_left_alone(made):
    before = "matplotlib.pyplot" in sys.modules
    made.plot()
    assert ("matplotlib.pyplot" in sys.modules) == before


def test_draws_on_given_axes(made):
    ax = Figure().add_subplot()
    assert made.plot(ax) is ax


@pytest.mark.parametrize(("ending", "magic"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_saves(made, tmp_path, ending, magic):
    made.plot(path=tmp_path / f"forecast.{ending}")
    assert (tmp_path / f"forecast.{ending}").read_bytes().startswith(magic)
    assert len(list(tmp_path.iterdir())) == 1


def test_path_as_text(made, tmp_path):
    made.plot(path=str(tmp_path / "forecast.png"))
    assert (tmp_path / "forecast.png").exists()


def test_an_unknown_format_is_bad_input(made, tmp_path):
    with pytest.raises(InputError, match="xyz"):
        made.plot(path=tmp_path / "forecast.xyz")
    assert list(tmp_path.iterdir()) == []


def test_only_measured_numbers(measured):
    forecast(measured, [1, 2, 60], rng=0, replicates=20).plot()


def test_the_band_is_the_interval(measured):
    found = forecast(measured, [10, 100, 5000], rng=0, replicates=20)
    band = found.plot().collections[0].get_paths()[0].vertices
    for k, low, high in zip(found.k, found.low, found.high, strict=True):
        drawn = band[np.isclose(band[:, 0], k), 1]
        assert drawn.min() == pytest.approx(low)
        assert drawn.max() == pytest.approx(high)


def test_without_matplotlib(made, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'rankcast\[plot\]'"):
        made.plot()


def test_a_metric_that_grows_has_an_axis_of_its_own(measured):
    ax = forecast(measured, [1000], "mean_rank", rng=0, replicates=20).plot()
    assert ax.get_yscale() == "log"
    assert ax.get_ylim()[1] > ax.lines[1].get_ydata().max() > 1
    assert "%" not in ax.texts[0].get_text()
