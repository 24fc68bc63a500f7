"""Who is let in, and what is refused whoever asks."""

from __future__ import annotations

import json

import pytest
from starlette.testclient import TestClient

from bankd.ui.application import make_application
from bankd.ui.guard import Access, refusal_of
from bankd.wiring.banks import Banks
from tests.examples import examples

PORT = 8787
HERE = f"http://127.0.0.1:{PORT}"
WRITE = {"host": f"127.0.0.1:{PORT}", "origin": HERE, "sec-fetch-site": "same-origin", "content-length": "10"}


@pytest.fixture
def access() -> Access:
    return Access(PORT)


@pytest.fixture
def client(access: Access) -> TestClient:
    """The page before anybody was let in."""
    return TestClient(make_application(Banks(dict, stays=True), access), base_url=HERE, follow_redirects=False)


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "[::1]"])
def test_a_decision_of_the_page_itself_is_answered_and_none_without_an_origin(access: Access, name: str) -> None:
    headers = {**WRITE, "host": f"{name}:{PORT}", "origin": f"http://{name}:{PORT}"}

    assert refusal_of("POST", headers, access) is None
    del headers["origin"]
    assert refusal_of("POST", headers, access) is not None


@pytest.mark.parametrize(("method", "changed", "status"), examples("arguments", "requests of others"))
def test_what_is_not_of_this_page_is_refused(access: Access, method: str, changed: str, status: str) -> None:
    refusal = refusal_of(method, {**WRITE, **json.loads(changed)}, access)

    assert refusal is not None
    assert refusal.status == int(status)


def test_the_link_opens_once(client: TestClient, access: Access) -> None:
    token = access.token
    first = client.get("/", params={"token": token})

    assert first.status_code == 200
    cookie = first.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    client.cookies.clear()
    assert client.get("/", params={"token": token}).status_code == 403
    assert client.get("/?token=").status_code == 403


@pytest.mark.parametrize("path", ["/", "/?token=", "/?token=wrong", "/bank/search", "/static/page.css", "/bank/act"])
def test_nothing_is_shown_without_the_link(client: TestClient, path: str) -> None:
    assert client.get(path).status_code == 403


def test_a_token_that_another_site_stole_opens_nothing(client: TestClient, access: Access) -> None:
    stolen = client.get("/", params={"token": access.token}, headers={"Sec-Fetch-Site": "cross-site"})

    assert stolen.status_code == 403
    assert "set-cookie" not in stolen.headers
    assert client.get("/", params={"token": access.token}).status_code == 200


@pytest.mark.parametrize("value", ["", "x", '"', "bankd-8787=", "bankd-8787=wrong", "bankd-1=SESSION", "=;;="])
def test_a_cookie_that_is_not_the_session_opens_nothing(client: TestClient, access: Access, value: str) -> None:
    cookie = value.replace("SESSION", access.session)

    assert client.get("/bank/search", headers={"Cookie": cookie}).status_code == 403


def test_every_answer_forbids_what_is_not_ours(client: TestClient, access: Access) -> None:
    for answer in (
        client.get("/x/search"),
        client.get("/", params={"token": access.token}),
        client.get("/static/page.js"),
    ):
        assert answer.headers["content-security-policy"].startswith("default-src 'self'")
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_websocket_is_not_answered(client: TestClient) -> None:
    with pytest.raises(Exception), client.websocket_connect("/"):  # noqa: B017, PT011 -- the test client's own
        pass
