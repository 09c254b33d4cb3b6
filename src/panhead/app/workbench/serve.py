"""Start the workbench server: uvicorn on 127.0.0.1 with a token in the address; open it in the browser."""

from __future__ import annotations

import contextlib
import secrets
import socket
import webbrowser
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from panhead.errors import FileError, ModelError


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


def project_and_file(path: Path) -> tuple[Path, str]:
    """Folder of a project and the file that is opened first ("": whichever there is); a new folder is created."""
    if path.suffix == ".toml":
        if not path.is_file():
            raise FileError(path, "no such file; panhead workbench without a name opens this folder")
        return path.parent, path.name
    if not path.exists() and path.parent.is_dir():
        path.mkdir()
    return path, ""


def serve(
    folder: Path, *, port: int = 0, browser: bool = True, hands: int = 0, told: Callable[[str], None] = print
) -> None:
    """Serve the project in ``folder``, or that of a file, until Ctrl-C; ``told`` is called with the address."""
    try:
        import uvicorn
    except ImportError:
        raise ModelError('the workbench needs additional packages: pip install "panhead[desk]"') from None
    from panhead.app.workbench.auth import Guard
    from panhead.app.workbench.project import Project
    from panhead.app.workbench.routes import Workbench

    place, first = project_and_file(folder)
    bench, door = Workbench(Project(place), hands=hands), listen(port)
    number, token = door.getsockname()[1], secrets.token_urlsafe(18)
    hosts = (f"127.0.0.1:{number}", f"localhost:{number}")
    guard = Guard(bench.application(), token=token, hosts=hosts)
    settings = uvicorn.Config(
        guard, log_level="warning", access_log=False, server_header=False, ws="none", timeout_graceful_shutdown=1
    )
    address = f"http://127.0.0.1:{number}/{token}/" + (f"#open={quote(first)}" if first else "")
    told(address)
    if browser:
        webbrowser.open(address)

    class Server(uvicorn.Server):
        """Ends the streams of events first: else an open page delays the end, and is told of as an error."""

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            bench.crew.end_streams()
            await super().shutdown(sockets)

    with contextlib.suppress(KeyboardInterrupt):
        Server(settings).run(sockets=[door])
