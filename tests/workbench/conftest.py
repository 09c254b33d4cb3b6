import pytest

from workbench.server import Server


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """One server for all tests of the page: every test takes files of its own."""
    served = Server(tmp_path_factory.mktemp("my-project", numbered=False))
    yield served
    served.close()
