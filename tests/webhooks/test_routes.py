"""Webhooks over HTTP: who may, what is refused, where nothing is sent, and what stays secret."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest

from app.kernel.caller import Role
from app.lifecycle.invariants import broken
from app.portability.exporter import digest_of, export_package
from app.portability.service import selection
from app.webhooks.backoff import Backoff
from app.webhooks.posting import Postman
from app.wiring import Parts
from tests.conftest import MakePrincipal, Principal
from tests.lifecycle.conftest import checked
from tests.pools.test_packages import Load, allow, erase, load
from tests.webhooks.conftest import (
    HERE,
    Deliver,
    Receiver,
    act,
    audited,
    hook,
    listed,
    read,
    say,
    told,
)

__all__ = ["load"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "url"),
        ({"url": ""}, "url"),
        ({"url": "ftp://example.org/"}, "url"),
        ({"url": "https://ada:secret@127.0.0.1/"}, "url"),
        ({"url": "http://10.0.0.7/hook"}, "url"),
        ({"url": "http://169.254.169.254/latest"}, "url"),
        ({"url": "https://[::1]/hook"}, "url"),
        ({"url": "http://2130706434.example.invalid/"}, "url"),
        ({"url": f"https://hooks.slack.com/services/T{'0' * 8}/B{'0' * 8}/{'a1' * 12}"}, "url"),
        ({"url": "http://127.0.0.1/", "kinds": ["No Kind"]}, "kinds"),
        ({"url": "http://127.0.0.1/", "kinds": ["a"] * 65}, "kinds"),
        ({"url": "http://127.0.0.1/", "below": "perhaps"}, "below"),
        ({"url": "http://127.0.0.1/", "secret": "mine"}, "secret"),
    ],
)
async def test_bad_webhooks_are_refused_by_field(
    writer: Principal, body: dict[str, Any], field: str
) -> None:
    answer = await writer.http.post("/v1/webhooks", json=body)
    assert answer.status_code == 422, answer.text
    assert answer.headers["content-type"].startswith("application/problem+json")
    assert answer.json()["errors"][0]["field"].startswith(field), answer.text
    assert (await told(await writer.http.get("/v1/webhooks")))["items"] == []


async def test_its_maker_changes_it_an_admin_stops_it_and_nobody_else_sees_it(
    admin: Principal, writer: Principal, principal: MakePrincipal, tenant: str, receiver: Receiver
) -> None:
    made = await hook(writer, receiver)
    url = f"/v1/webhooks/{made['id']}"
    beside = await principal(f"{tenant}/dev", name="beside")
    abroad = await principal(f"{tenant}x/dev", name="abroad")
    reader = await principal(f"{tenant}/dev", name="reader", role=Role.READER)
    for stranger in (beside, abroad):
        assert (await told(await stranger.http.get("/v1/webhooks")))["items"] == []
        for method, path in (
            ("GET", url), ("GET", f"{url}/deliveries"), ("POST", f"{url}/pause"),
            ("POST", f"{url}/resume"), ("POST", f"{url}/secret"), ("POST", f"{url}/test"),
            ("POST", f"{url}/deliveries/x/resend"), ("DELETE", url),
        ):  # fmt: skip
            answer = await stranger.http.request(method, path)
            assert answer.status_code == 404, (path, answer.text)
        assert (await stranger.http.patch(url, json={"below": True})).status_code == 404
    body = {"url": receiver.url}
    assert (await reader.http.post("/v1/webhooks", json=body)).status_code == 403
    elsewhere = await beside.http.post("/v1/webhooks", json=body | {"scope": f"{tenant}x/dev"})
    assert elsewhere.status_code == 404

    seen = await read(admin, made)
    assert seen["untrusted"] == {"url": receiver.url}
    assert "secret" not in seen
    assert (await admin.http.patch(url, json={"below": True})).status_code == 403
    for name in ("resume", "secret", "test"):
        await act(admin, made, name, 403)
    assert (await act(admin, made, "pause"))["reason"] == "asked"
    assert (await act(writer, made, "resume"))["state"] == "active"

    stale = await writer.http.patch(url, json={"below": True}, headers={"If-Match": "7"})
    assert stale.status_code == 412
    changed = await told(
        await writer.http.patch(url, json={"kinds": ["note"]}, headers={"If-Match": "1"})
    )
    assert (changed["kinds"], changed["version"], changed["below"]) == (["note"], 2, False)
    same = await told(await writer.http.patch(url, json={"kinds": ["note"]}))
    assert same["version"] == 2
    assert (await writer.http.patch(url, json={"url": None})).status_code == 422
    assert (await writer.http.patch(url, json={"url": "http://10.1.1.1/"})).status_code == 422
    assert (await told(await writer.http.get("/v1/webhooks")))["items"][0]["version"] == 2
    await told(await admin.http.delete(url), 204)
    assert (await writer.http.get(url)).status_code == 404


async def test_a_repeated_request_makes_one_and_shows_its_secret_once(
    writer: Principal, receiver: Receiver
) -> None:
    headers = {"Idempotency-Key": "the-hook"}
    body = {"url": receiver.url}
    first, second = [
        await told(await writer.http.post("/v1/webhooks", json=body, headers=headers), 201)
        for _ in range(2)
    ]
    assert first["id"] == second["id"]
    assert first["secret"].startswith("whsec_")
    assert second["secret"] is None


async def test_a_scope_has_so_many(
    opened: Parts, writer: Principal, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opened.webhooks, "_most", 1)
    await hook(writer, receiver)
    answer = await writer.http.post("/v1/webhooks", json={"url": receiver.url})
    assert (answer.status_code, answer.json()["code"]) == (409, "QuotaReached")


async def test_nothing_private_is_reached(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed, open_ = Postman(5.0), Postman(5.0, HERE)
    answer = await closed.post(receiver.url, b"{}", {})
    assert (answer.status, answer.error) == (None, "the address is not on the public internet")
    port = receiver.url.rpartition(":")[2].partition("/")[0]
    answered = ["127.0.0.1"]
    asked = []

    def resolve(host: str, port: int, *rest: Any, **more: Any) -> list[Any]:
        asked.append(host)
        place = (answered.pop(0), port)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", place)]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    url = f"http://hooks.example.test:{port}/a"
    assert (await open_.post(url, b"{}", {})).status == 204
    assert asked == ["hooks.example.test"], "its name is asked for once, and not by the connection"
    assert receiver.heads[0]["host"] == f"hooks.example.test:{port}"
    answered += ["10.0.0.9", "93.184.216.34"]
    assert (await open_.post(url, b"{}", {})).error == "the address is not on the public internet"
    assert (await open_.post(url, b"{}", {})).error == "events go to https addresses only"
    assert len(receiver.raw) == 1


async def test_a_redirect_is_a_failure(receiver: Receiver) -> None:
    receiver.answers = [302]
    answer = await Postman(5.0, HERE).post(receiver.url, b"{}", {})
    assert (answer.status, answer.is_good, len(receiver.raw)) == (302, False, 1)


@pytest.mark.parametrize(
    ("attempts", "chance", "seconds"),
    [
        (1, 0.0, 2.5), (1, 1.0, 5.0), (2, 0.0, 5.0), (2, 0.5, 7.5), (4, 1.0, 40.0),
        (10, 1.0, 2560.0), (11, 0.0, 1800.0), (11, 1.0, 3600.0), (5000, 1.0, 3600.0),
    ],
)  # fmt: skip
def test_waits_double_with_jitter(attempts: int, chance: float, seconds: float) -> None:
    assert Backoff(5.0, 3600.0).wait(attempts, chance) == seconds
    drawn = Backoff(5.0, 3600.0).wait(attempts)
    whole = min(3600.0, 5.0 * 2 ** min(attempts - 1, 64))
    assert whole / 2 <= drawn <= whole


async def test_its_secret_is_nowhere_but_in_the_answer(
    opened: Parts, writer: Principal, receiver: Receiver, deliver: Deliver, tenant: str,
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    caplog.set_level("INFO")
    made = await hook(writer, receiver)
    receiver.answers = [500]
    await say(writer, "A word.")
    await deliver()
    renewed = await act(writer, made, "secret")
    await export_package(opened.graph, tmp_path / "out", await selection(opened.graph, tenant))
    package = b"".join(path.read_bytes() for path in (tmp_path / "out").iterdir()).decode()
    assert made["id"] in package
    shown = capsys.readouterr()
    known = str(await audited(opened, tenant)) + str(await read(writer, made))
    told_of = package + known + caplog.text + shown.out + shown.err
    told_of += str(await listed(writer, made))
    for secret in (made["secret"], renewed["secret"]):
        assert secret.removeprefix("whsec_") not in told_of
    assert receiver.url not in str(await audited(opened, tenant))


async def test_a_package_brings_it_back_paused_and_without_a_secret(
    opened: Parts, writer: Principal, principal: MakePrincipal, tenant: str, receiver: Receiver,
    deliver: Deliver, load: Load, tmp_path: Path,
) -> None:  # fmt: skip
    made = await hook(writer, receiver, kinds=["capture"])
    chosen = await selection(opened.graph, tenant)
    before = await digest_of(opened.graph, chosen)
    assert before["records"]["webhook"] == 1
    await export_package(opened.graph, tmp_path / "out", chosen)
    await opened.graph.raw("MATCH (n:Webhook {tenant: $tenant}) DETACH DELETE n", tenant=tenant)
    await load(tmp_path / "out")
    assert (await digest_of(opened.graph, chosen))["digest"] == before["digest"]
    seen = await read(writer, made)
    assert (seen["state"], seen["reason"]) == ("paused", "imported")
    await act(writer, made, "resume", 409)
    await say(writer, "Nobody is told.")
    await act(writer, made, "secret")
    assert (await act(writer, made, "resume"))["state"] == "active"
    said = await say(writer, "This is told.")
    await deliver()
    assert receiver.targets == [said]
    assert await broken(opened.graph, tenant) == []

    await load(tmp_path / "out", target=f"{tenant}y")
    scout = await principal(f"{tenant}y/dev", name="scout")
    (there,) = (await told(await scout.http.get("/v1/webhooks")))["items"]
    assert (there["created_by"], there["state"]) == (f"agent:{tenant}y:scout", "paused")
    assert there["id"] != made["id"]


async def test_erasures_take_what_somebody_made_or_did(
    opened: Parts, admin: Principal, writer: Principal, principal: MakePrincipal, tenant: str,
    receiver: Receiver, deliver: Deliver,
) -> None:  # fmt: skip
    await allow(admin, tenant)
    other = await principal(f"{tenant}/dev", name="other")
    kept = await hook(writer, receiver, kinds=["capture"])
    for who in (other, writer):
        await hook(who, receiver, kinds=["goal"])
        await say(who, f"A word of {who.caller.name}.")
    await deliver()
    assert len(receiver.events) == 2
    receipt = await erase(opened, admin, author=other.caller.principal, scope=f"{tenant}/dev")
    assert (await checked(opened, admin, receipt))["clean"]
    mine = (await told(await writer.http.get("/v1/webhooks")))["items"]
    assert {one["created_by"] for one in mine} == {writer.caller.principal}
    assert len(mine) == 2
    actors = [e["actor"] for item in await listed(writer, kept) for e in item["events"]]
    assert actors == [writer.caller.principal]
    assert await broken(opened.graph, tenant) == []
    gone = await admin.http.delete(f"/v1/webhooks/{kept['id']}")
    assert gone.status_code == 204
    rows = await opened.graph.raw(
        "MATCH (d:WebhookDelivery {tenant: $tenant}) RETURN d.id AS id", tenant=tenant
    )
    assert rows == []


async def test_old_deliveries_go_and_dead_letters_stay_longer(
    opened: Parts, writer: Principal, receiver: Receiver, deliver: Deliver
) -> None:
    made = await hook(writer, receiver, kinds=["capture"])
    receiver.answers = [500] * 3
    await say(writer, "The first.")
    await deliver()
    await say(writer, "The second.")
    await deliver()
    assert {item["state"] for item in await listed(writer, made)} == {"dead", "delivered"}
    await opened.graph.raw(
        "MATCH (d:WebhookDelivery) WHERE d.whole = $id "
        "SET d.ended_at = d.ended_at - duration('P10D')",
        id=made["id"],
    )
    job = await opened.runner.submit("webhooks.expire", tenant="_", scope="_", args={})
    assert await opened.runner.run(opened, job.id) == "done"
    assert [item["state"] for item in await listed(writer, made)] == ["dead"]
