import re
import shutil

import pytest
from desk.reports.browser import Browser, executable

from app.workbench.hand import RUN, opened, press
from app.workbench.server import Server
from panhead.files import library


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """One server for all tests of the page: every test takes files of its own."""
    served = Server(tmp_path_factory.mktemp("my-project", numbered=False))
    yield served
    served.close()


@pytest.fixture(scope="session")
def browser():
    found = Browser(executable())
    yield found
    found.close()


def _bench(browser, server, name):
    """A tab with a run and a line of its own, run once; it ends without a complaint."""
    shutil.copy(library.shipped("lines")["en50318-2002"], server.folder / f"{name}-line.toml")
    (server.folder / f"{name}.toml").write_text(RUN.format(line=f"{name}-line.toml"))
    tab = opened(browser, server, f"{name}.toml")
    tab.name = name
    yield tab
    tab.evaluate("location = 'about:blank'")  # a browser holds six connections to a server, and each tab listens
    assert [words for words in tab.complaints if "responded with a status of 4" not in words] == []
    assert {url for url in tab.requests if not url.startswith((server.address, "data:", "blob:"))} == set()


@pytest.fixture
def bench(browser, server, request):
    """A tab with a run and a line of this test's own."""
    yield from _bench(browser, server, getattr(request, "param", re.sub(r"\W", "", request.node.name)))


@pytest.fixture(scope="module")
def page(browser, server):
    """One tab for all gestures of a module; it runs only when it is told to."""
    for tab in _bench(browser, server, "gestures"):
        press(tab, "#automatic")
        tab.wait("!document.getElementById('automatic').checked")
        yield tab
