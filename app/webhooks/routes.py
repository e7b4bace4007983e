"""Webhooks over HTTP."""

from __future__ import annotations

from typing import Annotated

from litestar import Controller, delete, get, patch, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, HeaderParameter, JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK, HTTP_202_ACCEPTED, HTTP_204_NO_CONTENT

from app.access.parameters import Within, one_of
from app.errors import InvalidInput
from app.kernel.caller import Caller, Role
from app.kernel.wire import LARGEST
from app.webhooks.model import DeliveryState
from app.webhooks.schemas import (
    DeliveriesOut,
    DeliveryOut,
    WebhookChangeIn,
    WebhookIn,
    WebhookMadeOut,
    WebhookOut,
    WebhooksOut,
)
from app.webhooks.sending import visible
from app.webhooks.service import WebhookService

Before = Annotated[
    int | None,
    QueryParameter(name="cursor", ge=-1, le=LARGEST, description="The number to continue before."),
]
Most = Annotated[int, QueryParameter(ge=1, le=200, description="Most items of a page.")]
InState = Annotated[
    str | None,
    QueryParameter(
        name="state", enum=[*DeliveryState], description="Only deliveries in this state."
    ),
]
IfMatch = Annotated[
    str | None,
    HeaderParameter(name="If-Match", description="The version that is changed; 412 if another."),
]


class WebhookController(Controller):
    """Events that are posted to an address."""

    path = "/v1/webhooks"
    tags = ("Events",)

    @post("/", operation_id="createWebhook", opt={"requires": Role.WRITER})
    async def create(
        self,
        data: JSONBody[WebhookIn],
        caller: NamedDependency[Caller],
        webhooks: NamedDependency[WebhookService],
    ) -> WebhookMadeOut:
        """Have events of a scope posted to an address, signed with the secret of this answer."""
        return WebhookMadeOut.of(await webhooks.create(caller, data.to_draft()))

    @get("/", operation_id="listWebhooks", opt={"requires": Role.READER})
    async def list_webhooks(
        self,
        caller: NamedDependency[Caller],
        webhooks: NamedDependency[WebhookService],
        within: Within = None,
        cursor: FromQuery[str | None] = None,
        limit: Most = 50,
    ) -> WebhooksOut:
        """List one's own webhooks, and those of scopes that this key administers."""
        found = await webhooks.rows.page(caller, within, cursor or "", limit + 1)
        items = [WebhookOut.of(known) for known in found[:limit]]
        return WebhooksOut(items, items[-1].id if len(found) > limit else None)

    @get("/{webhook:str}", operation_id="getWebhook", opt={"requires": Role.READER})
    async def read(
        self,
        webhook: FromPath[str],
        caller: NamedDependency[Caller],
        webhooks: NamedDependency[WebhookService],
    ) -> WebhookOut:
        """Read a webhook: whether it sends, and how far it is."""
        return WebhookOut.of(await webhooks.rows.find(caller, webhook))

    @patch("/{webhook:str}", operation_id="changeWebhook", opt={"requires": Role.WRITER})
    async def change(
        self,
        webhook: FromPath[str],
        data: JSONBody[WebhookChangeIn],
        caller: NamedDependency[Caller],
        webhooks: NamedDependency[WebhookService],
        if_match: IfMatch = None,
    ) -> WebhookOut:
        """Change address, kinds or depth of one's own webhook."""
        expected = _version(if_match)
        return WebhookOut.of(await webhooks.change(caller, webhook, data.changes(), expected))

    @delete(
        "/{webhook:str}",
        operation_id="deleteWebhook",
        opt={"requires": Role.WRITER},
        status_code=HTTP_204_NO_CONTENT,
    )
    async def remove(
        self,
        webhook: FromPath[str],
        caller: NamedDependency[Caller],
        webhooks: NamedDependency[WebhookService],
    ) -> None:
        """Delete a webhook with its deliveries."""
        await webhooks.remove(caller, webhook)

    @post(
        "/{webhook:str}/pause",
        operation_id="pauseWebhook",
        opt={"requires": Role.WRITER},
        status_code=HTTP_200_OK,
    )
    async def pause(
        self,
        webhook: FromPath[str],
        caller: NamedDependency[Caller],
        webhooks: NamedDependency[WebhookService],
    ) -> WebhookOut:
        """Stop sending; what comes meanwhile is sent once the webhook is resumed."""
        return WebhookOut.of(await webhooks.pause(caller, webhook))

    @post(
        "/{webhook:str}/resume",
        operation_id="resumeWebhook",
        opt={"requires": Role.WRITER},
        status_code=HTTP_200_OK,
    )
    async def resume(
        self,
        webhook: FromPath[str],
        caller: NamedDependency[Caller],
        webhooks: NamedDependency[WebhookService],
    ) -> WebhookOut:
        """Send again from where it stopped, for this key; 409 for one without a secret."""
        return WebhookOut.of(await webhooks.resume(caller, webhook))

    @post(
        "/{webhook:str}/secret",
        operation_id="renewWebhookSecret",
        opt={"requires": Role.WRITER},
        status_code=HTTP_200_OK,
    )
    async def renew(
        self,
        webhook: FromPath[str],
        caller: NamedDependency[Caller],
        webhooks: NamedDependency[WebhookService],
    ) -> WebhookMadeOut:
        """Sign with a new secret from the next attempt on; it is in this answer only."""
        return WebhookMadeOut.of(await webhooks.renew(caller, webhook))

    @post(
        "/{webhook:str}/test",
        operation_id="testWebhook",
        opt={"requires": Role.WRITER},
        status_code=HTTP_202_ACCEPTED,
    )
    async def test(
        self,
        webhook: FromPath[str],
        caller: NamedDependency[Caller],
        webhooks: NamedDependency[WebhookService],
    ) -> DeliveryOut:
        """Have a delivery without events sent; 409 for a paused webhook."""
        return DeliveryOut.of(await webhooks.test(caller, webhook))

    @get(
        "/{webhook:str}/deliveries",
        operation_id="listWebhookDeliveries",
        opt={"requires": Role.READER},
    )
    async def deliveries(
        self,
        webhook: FromPath[str],
        caller: NamedDependency[Caller],
        webhooks: NamedDependency[WebhookService],
        in_state: InState = None,
        cursor: Before = None,
        limit: Most = 50,
    ) -> DeliveriesOut:
        """List deliveries, newest first, with those of their events that this key sees."""
        known = await webhooks.rows.find(caller, webhook)
        state = one_of(DeliveryState, in_state, "state")
        before = LARGEST if cursor is None else cursor
        found = await webhooks.rows.deliveries(known.webhook, state, before, limit + 1)
        items = [DeliveryOut.of(visible(one, known, caller)) for one in found[:limit]]
        return DeliveriesOut(items, str(items[-1].number) if len(found) > limit else None)

    @post(
        "/{webhook:str}/deliveries/{delivery:str}/resend",
        operation_id="resendWebhookDelivery",
        opt={"requires": Role.WRITER},
        status_code=HTTP_202_ACCEPTED,
    )
    async def resend(
        self,
        webhook: FromPath[str],
        delivery: FromPath[str],
        caller: NamedDependency[Caller],
        webhooks: NamedDependency[WebhookService],
    ) -> DeliveryOut:
        """Send a dead letter again, behind what waits; 409 for any other delivery."""
        return DeliveryOut.of(await webhooks.resend(caller, webhook, delivery))


def _version(given: str | None) -> int | None:
    """The version that `If-Match` names, bare or quoted; InvalidInput where it is none."""
    if given is None or given.strip() == "*":
        return None
    bare = given.strip().removeprefix("W/").strip('"')
    if not bare.isdecimal() or len(bare) > 15:
        raise InvalidInput("If-Match is a version, such as 3", field="If-Match")
    return int(bare)
