"""Access control: accept only requests with the token, from this machine and of limited size."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from typing import Any, Final

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from panhead.errors import FileError

MAX_REQUEST_BYTES: Final = 8_000_000  # bytes of a request
_ALLOWED_FETCH_SITES: Final = (
    "same-origin",
    "none",
)  # Sec-Fetch-Site of this page, and of an address typed by a person
_HEADERS: Final = {
    "content-security-policy": "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; "
    "frame-ancestors 'none'; form-action 'none'; base-uri 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}


class RequestTooLarge(FileError):
    """Request larger than the size limit."""


class Guard:
    """ASGI middleware that checks the token in the path, the host, the origin and the content type."""

    def __init__(self, app: ASGIApp, *, token: str, hosts: tuple[str, ...]) -> None:
        self.app, self.token, self.hosts = app, token, hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        status, words = self._rejection(scope)
        if status:
            answer = JSONResponse({"text": words, "problems": []}, status)
            return await answer(scope, receive, _with_headers(send))
        inside = dict(scope)
        inside["path"] = scope["path"][len(self.token) + 1 :]
        inside["root_path"] = ""
        return await self.app(inside, receive, _with_headers(send))

    def _rejection(self, scope: Scope) -> tuple[int, str]:
        """HTTP status and message of a rejection; status 0 accepts the request."""
        headers = Headers(scope=scope)
        host = headers.get("host", "").lower()
        if host not in self.hosts:
            return 421, "this server answers only to 127.0.0.1 and localhost"
        first = scope["path"].split("/")[1] if scope["path"].count("/") > 1 else ""
        if not secrets.compare_digest(first.encode(), self.token.encode()):
            return 404, "not found; open the full address, including its token, that panhead workbench printed"
        origin, site = headers.get("origin"), headers.get("sec-fetch-site", "none")
        if (origin is not None and origin.lower() != f"http://{host}") or site not in _ALLOWED_FETCH_SITES:
            return 403, "requests from other pages are not allowed"
        if scope["method"] in ("GET", "HEAD"):
            return 0, ""
        if origin is None:
            return 403, "a POST request needs an Origin header"
        if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            return 415, "the request body must be JSON (content-type: application/json)"
        return 0, ""


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
            named = {name for name, _ in message.get("headers", [])}
            message["headers"] = [*message.get("headers", []), *(pair for pair in own if pair[0] not in named)]
        await send(message)

    return sending


async def read_json(request: Request) -> Mapping[str, Any]:
    """Read the JSON object of a request; FileError if it is too large or not an object."""
    content = bytearray()
    async for chunk in request.stream():
        content += chunk
        if len(content) > MAX_REQUEST_BYTES:
            raise RequestTooLarge("request", f"exceeds the limit of {MAX_REQUEST_BYTES // 1_000_000} MB")
    try:
        found = json.loads(content.decode("utf-8"), parse_constant=_reject_constant)
        json.dumps(found, ensure_ascii=False).encode("utf-8")  # half a letter cannot be written to any file
    except (ValueError, RecursionError) as error:
        raise FileError("request", f"is not JSON: {str(error)[:200]}") from None
    if not isinstance(found, dict):
        raise FileError("request", "must be a JSON object")
    return found


def _reject_constant(word: str) -> None:
    raise ValueError(f"{word} is not a number")
