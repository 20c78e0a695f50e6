"""The page of `spacy-gfl correct` in a browser without a screen.

Needs chromium, chromedriver and the package selenium:
python -m pytest -m slow tests/tools/correction/test_browser.py
"""

import shutil

import pytest
from helpers.reading import read_tree_file

pytest.importorskip("selenium", reason="the page is tried with the package selenium")

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (shutil.which("chromium") and shutil.which("chromedriver")),
        reason="there is no chromium with its chromedriver",
    ),
]
SECONDS = 120


class Page:
    """What somebody sees and does in a browser."""

    def __init__(self, driver):
        self.driver = driver

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def wait(self, condition):
        return WebDriverWait(self.driver, SECONDS, 0.1).until(lambda _: condition())

    def open(self, address):
        self.driver.get("about:blank")
        self.driver.get(address)
        self.wait(lambda: self.all("[role=treeitem]"))

    def settled(self, action):
        """Do something and wait for the server's answer: a new view, or a refusal."""
        self.driver.execute_script("view.is_old = true; tell('waiting')")
        action()
        is_told = "$('tell').textContent !== 'waiting'"
        done = f"return !busy && (!view.is_old || {is_told})"
        self.wait(lambda: self.driver.execute_script(done))

    def key(self, *keys):
        self.driver.switch_to.active_element.send_keys(*keys)

    def keys(self, *keys):
        """Press keys the last of which makes the parser parse, or goes elsewhere."""
        for key in keys[:-1]:
            self.key(key)
        self.settled(lambda: self.key(keys[-1]))

    def click(self, selector):
        self.all(selector)[0].click()

    def settle_click(self, selector):
        self.settled(lambda: self.click(selector))

    @property
    def brackets(self):
        """Labels with the words of their brackets, as a screen reader says them."""
        return [item.get_attribute("aria-label") for item in self.all(".node")]

    @property
    def place(self):
        return self.all("#place")[0].text

    @property
    def tell(self):
        return self.all("#tell")[0].text

    @property
    def focused(self):
        return self.driver.switch_to.active_element.get_attribute("aria-label")

    def word(self, i):
        return f'[data-word="{i}"]'

    def label(self, start):
        """The label of a bracket, found by how its aria-label begins."""
        return f'.node[aria-label^="{start}"] > .label'


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    arguments = (
        "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run "
        "--disable-background-networking --disable-component-update --disable-sync "
        "--window-size=1200,900"
    )
    for argument in arguments.split():
        options.add_argument(argument)
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('profile')}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = webdriver.ChromeService(shutil.which("chromedriver"))
    driver = webdriver.Chrome(options=options, service=service)
    driver.set_page_load_timeout(SECONDS)
    yield driver
    driver.quit()


@pytest.fixture
def page(driver):
    driver.set_window_size(1200, 900)
    driver.get_log("browser")
    return Page(driver)


def errors(page, *, refused=0):
    """What the browser has complained of: scripts, styles and requests refused.

    It lists what the server refuses too, and the page tells: so many are no error.
    """
    messages = [entry["message"] for entry in page.driver.get_log("browser")]
    told = [one for one in messages if "/do - " in one and "status of 422" in one]
    return [one for one in messages if one not in told[:refused]]


def test_a_sentence_is_corrected_and_accepted_with_the_mouse_alone(
    page, server, output
):
    page.open(server.address)
    assert page.place == "Sentence 1 of 4 (0 accepted, 0 skipped)"
    assert "NP: the table" in " | ".join(page.brackets)

    page.click(page.word(4))
    assert page.all("#edit")[0].is_displayed()
    page.settle_click(page.word(8))
    # What is made can be given another label at once.
    assert page.all("#remove")[0].is_displayed()
    # Which label it has, and what is around it, the parser says.
    made = ", as you say: cabinet are on the table"
    [name] = [name for name in page.brackets if name.endswith(made)]
    page.click(page.label(name))
    other = next(b for b in page.all("#common button") if f"{b.text}{made}" != name)
    renamed = f"{other.text}{made}"
    page.settled(other.click)
    assert renamed in page.brackets
    page.click(page.label(renamed))
    page.settle_click("#remove")
    assert not [name for name in page.brackets if name.endswith(made)]
    for _ in range(3):
        page.settle_click('[data-action="undo"]')
    assert page.all('[data-action="undo"]')[0].get_attribute("disabled")

    page.settle_click('[data-action="accept"]')
    assert page.place == "Sentence 2 of 4 (1 accepted, 0 skipped)"
    [tree] = read_tree_file(output)
    assert tree.words[:2] == ("The", "keys")
    assert errors(page) == []


def test_sentences_are_corrected_found_and_skipped_with_keys_alone(
    page, server, output
):
    page.open(server.address)
    assert page.focused.startswith("S")
    # From "The" to "keys", which are a bracket, so that it is refused.
    for _ in range(3):
        page.key(Keys.ARROW_RIGHT)
    assert page.focused == "The, DT"
    page.keys(Keys.ENTER, Keys.ARROW_RIGHT, Keys.ENTER)
    assert page.tell == "There is already a bracket around exactly these words."
    # One word alone, with a label that is typed.
    page.key(Keys.END, Keys.ENTER, Keys.ENTER)
    page.keys("FRAG", Keys.ENTER)
    assert "FRAG, as you say: ." in page.brackets
    # It has the focus: its label is changed, then it is taken away.
    assert page.focused == "FRAG, as you say: ."
    page.key(Keys.ENTER)
    page.keys("LST", Keys.ENTER)
    assert page.focused == "LST, as you say: ."
    page.keys("x")
    assert page.focused == "., ."
    page.keys("u")
    assert "LST, as you say: ." in page.brackets
    page.key("/")
    page.keys("needs", Keys.ENTER)
    assert page.place.startswith("Sentence 2 of 4")
    page.keys("s")
    page.keys("p")
    assert page.place == "Sentence 2 of 4, skipped (0 accepted, 1 skipped)"
    page.keys("p")
    page.keys("a")
    assert page.place == "Sentence 3 of 4 (1 accepted, 1 skipped)"
    [tree] = read_tree_file(output)
    assert ("LST", 9, 10) in tree.constituents
    assert errors(page, refused=1) == []
