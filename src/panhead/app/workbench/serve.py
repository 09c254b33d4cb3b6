"""Start the workbench server: uvicorn on 127.0.0.1 with a token in the address; open it in the browser."""

from __future__ import annotations

import contextlib
import secrets
import socket
import webbrowser
from collections.abc import Callable
from pathlib import Path

from panhead.errors import ModelError


def listen(port: int) -> socket.socket:
    """Socket on the loopback interface; port 0: any free port."""
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind(("127.0.0.1", port))
        found.listen(128)  # a browser that is faster than the server waits, and is not refused
    except (OSError, OverflowError) as error:
        found.close()
        raise ModelError(f"port {port} cannot be used: {error}; choose another --port, or omit it") from None
    return found


def serve(
    folder: Path, *, port: int = 0, browser: bool = True, hands: int = 0, told: Callable[[str], None] = print
) -> None:
    """Serve the project in ``folder`` until Ctrl-C; ``told`` is called with the address."""
    try:
        import uvicorn
    except ImportError:
        raise ModelError('the workbench needs additional packages: pip install "panhead[workbench]"') from None
    from panhead.app.workbench.auth import Guard
    from panhead.app.workbench.project import Project
    from panhead.app.workbench.routes import Workbench

    bench, door = Workbench(Project(folder), hands=hands), listen(port)
    number, token = door.getsockname()[1], secrets.token_urlsafe(18)
    hosts = (f"127.0.0.1:{number}", f"localhost:{number}")
    guard = Guard(bench.application(), token=token, hosts=hosts)
    settings = uvicorn.Config(
        guard, log_level="warning", access_log=False, server_header=False, ws="none", timeout_graceful_shutdown=1
    )
    address = f"http://127.0.0.1:{number}/{token}/"
    told(address)
    if browser:
        webbrowser.open(address)
    with contextlib.suppress(KeyboardInterrupt):
        uvicorn.Server(settings).run(sockets=[door])
