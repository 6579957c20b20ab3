"""The report in a real browser: what a reader does, sees and hears."""

import shutil
from pathlib import Path

import pytest

from rankcast.report.words import value_words

CHROMIUM = shutil.which("chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync"]
FLAGS += ["--disable-component-update", "--disable-quic"]
PATIENCE = 120_000  # ms

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs chromium: apt-get install chromium")


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield running
        running.close()


class Visit:
    """A page with all that it printed and asked for."""

    def __init__(self, browser, file, **context):
        self.context = browser.new_context(**context)
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.said, self.asked = [], []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(file.as_uri())
        if context.get("java_script_enabled", True):
            self.page.wait_for_selector("html[data-charts=live]")

    def text(self, place):
        return self.page.inner_text(place)


@pytest.fixture(scope="module")
def desktop(browser, report_file):
    visit = Visit(browser, report_file, viewport={"width": 1100, "height": 900})
    yield visit
    visit.context.close()


@pytest.fixture(scope="module")
def phone(browser, report_file):
    size = {"width": 375, "height": 800}
    visit = Visit(browser, report_file, viewport=size, is_mobile=True, has_touch=True, color_scheme="dark")
    yield visit
    visit.context.close()


@pytest.fixture(scope="module")
def still(browser, report_file):
    visit = Visit(browser, report_file, java_script_enabled=False)
    yield visit
    visit.context.close()


@pytest.fixture
def opened(desktop):
    """The page as it opens."""
    desktop.page.check("input[value=top1]", force=True)
    desktop.page.check("input[value=gaussian]", force=True)
    desktop.page.check("input[value=average]", force=True)
    desktop.page.fill("#number", "5000")
    desktop.page.locator("#number").blur()
    return desktop


def words(value):
    return value_words(value, True)


class TestReading:
    def test_opens_with_the_headline(self, opened, numbers):
        curve = numbers["curves"]["gaussian"]["top1"]
        low, high = words(curve["low"][-1]), words(curve["high"][-1])
        expected = f"On 5,000 classes: {words(curve['value'][-1])} 90% interval {low} to {high} (100× those measured)"
        assert opened.text("#reading") == expected

    def test_the_slider_moves_by_the_keyboard(self, opened):
        opened.page.focus("#slider")
        opened.page.keyboard.press("Home")
        assert opened.text("#reading").startswith("On 2 classes: ")
        assert opened.page.input_value("#number") == "2"
        opened.page.keyboard.press("End")
        assert opened.text("#reading").startswith("On 5,000 classes: ")
        for expected in ("4,800 classes", "4,700 classes", "4,500 classes"):
            opened.page.keyboard.press("ArrowLeft")
            assert opened.page.get_attribute("#slider", "aria-valuetext") == expected

    def test_a_number_can_be_written(self, opened, numbers):
        opened.page.fill("#number", "200")
        at = numbers["k"].index(200)
        assert words(numbers["curves"]["gaussian"]["top1"]["value"][at]) in opened.text("#reading")

    def test_capacity(self, opened):
        opened.page.fill("#target", "80")
        row = opened.page.locator(".capacities tbody tr", has_text="80%").locator("td").all_inner_texts()
        assert opened.text("#capacity") == f"up to {row[0]} classes (90% interval {row[1]} to {row[2]})."

    def test_capacity_of_nonsense(self, opened):
        opened.page.fill("#target", "many")
        assert opened.text("#capacity") == "… write a number"
        opened.page.fill("#target", "80")


class TestSwitches:
    def test_metric(self, opened, numbers):
        opened.page.check("input[value=top5]", force=True)
        assert words(numbers["curves"]["gaussian"]["top5"]["value"][-1]) in opened.text("#reading")
        assert opened.text("#column") == "Top-5 accuracy"
        assert "Top-5 accuracy" in opened.text("#curve")

    def test_method(self, opened, numbers):
        opened.page.check("input[value=mixture]", force=True)
        assert words(numbers["curves"]["mixture"]["top1"]["value"][-1]) in opened.text("#reading")
        assert opened.text("#caption").startswith("Top-1 accuracy by mixture")

    def test_interval(self, opened, numbers):
        opened.page.check("input[value=one]", force=True)
        curve = numbers["curves"]["gaussian"]["top1"]
        assert f"{words(curve['one_low'][-1])} to {words(curve['one_high'][-1])}" in opened.text("#reading")

    def test_a_metric_of_any_name(self, opened, nasty):
        opened.page.locator("#metrics input").nth(2).check(force=True)
        assert opened.text("#column") == nasty
        assert nasty in opened.page.evaluate("document.querySelector('#curve .ytitle').textContent")


def test_copy(opened):
    opened.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened.page.click("#copy")
    opened.page.wait_for_selector("#copied:not(:empty)")
    copied = opened.page.evaluate("navigator.clipboard.readText()").splitlines()
    assert copied[0] == "classes\tTop-1 accuracy\tlow\thigh\thow"
    assert copied[-1].split("\t")[0] == "5,000"
    assert len(copied) == 1 + opened.page.locator("#numbers tbody tr").count()


def test_user_strings_run_nothing(opened):
    assert opened.page.evaluate("window.hacked === undefined")
    assert opened.page.locator("img").count() == 0


def test_the_policy_refuses_other_scripts(desktop):
    desktop.page.evaluate(
        "document.head.append(Object.assign(document.createElement('script'), {textContent: 'window.other = 1'}))"
    )
    assert desktop.page.evaluate("window.other === undefined")
    assert "Content Security Policy" in desktop.said.pop()


class TestPhone:
    def test_does_not_scroll_sideways(self, phone):
        wide, seen = phone.page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
        assert wide <= seen == 375

    def test_dark(self, phone):
        colours = "(e => getComputedStyle(e).backgroundColor)(document.body)"
        assert phone.page.evaluate(colours) == "rgb(14, 19, 26)"
        assert phone.page.locator("#curve .js-line[style*='stroke: rgb(231, 237, 244)']").count() == 1

    def test_the_charts_follow_the_colours(self, phone):
        phone.page.emulate_media(color_scheme="light")
        phone.page.wait_for_selector("#curve .js-line[style*='stroke: rgb(23, 32, 42)']", state="attached")
        phone.page.emulate_media(color_scheme="dark")


class TestStill:
    """Without JavaScript."""

    def test_pictures(self, still):
        assert still.page.locator("svg.still").count() == 3
        assert all(box["height"] > 200 for box in (each.bounding_box() for each in still.page.locator(".still").all()))

    def test_numbers(self, still, numbers):
        row = still.page.locator("#numbers tbody tr", has_text="5,000").locator("td").all_inner_texts()
        assert row[0] == words(numbers["curves"]["gaussian"]["top1"]["value"][-1])

    def test_controls_that_would_do_nothing_are_hidden(self, still):
        assert not still.page.is_visible("#slider")
        assert not still.page.is_visible("#metrics")
        assert not still.page.is_visible("#copy")
        assert "without JavaScript" in still.page.locator("noscript").inner_text()


@pytest.mark.parametrize("kind", ["desktop", "phone"])
def test_accessible(kind, request):
    from axe_playwright_python import sync_playwright as axe

    page = request.getfixturevalue(kind).page
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    page.evaluate((Path(axe.__file__).parent / "axe.min.js").read_text(encoding="utf-8"))
    found = page.evaluate("axe.run()")["violations"]
    assert [(each["id"], each["impact"], each["nodes"][0]["html"]) for each in found] == []


@pytest.mark.parametrize("kind", ["desktop", "phone", "still"])
def test_says_nothing_and_asks_for_nothing(kind, request, report_file):
    visit = request.getfixturevalue(kind)
    assert visit.said == []
    assert [url for url in visit.asked if not url.startswith("data:")] == [report_file.as_uri()]
