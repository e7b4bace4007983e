"""From a request's body to documents handed in: form, text or address."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator
from dataclasses import dataclass

from app.documents.media import Media, media_of
from app.documents.orders import Content, Taken
from app.documents.schemas import AboutDocument, DocumentIn, about_of, described_by
from app.documents.service import DocumentService
from app.documents.upload import FILES_MOST, Incoming, boundary_of, receive_form
from app.errors import InvalidInput, TooLarge
from app.jobs.spool import Spool
from app.kernel.caller import Caller
from app.kernel.ids import new_id
from app.kernel.reach import checked_url

TEXT_FILE = "text"


@dataclass(frozen=True, slots=True)
class Intake:
    """Where what comes is put, and who takes it from there; `limit` is in bytes of one file."""

    documents: DocumentService
    spool: Spool
    limit: int

    async def form(
        self, who: Caller, body: AsyncIterator[bytes], content_type: str, *, most: int = FILES_MOST
    ) -> list[Taken]:
        """The files of a form, `most` of them, each a document under its own name.

        Raises what reading the form, and what taking in the first bad document raises.
        """
        boundary = boundary_of(content_type)
        place = await asyncio.to_thread(self.spool.place, new_id())
        try:
            form = await receive_form(body, boundary, (place, self.limit))
            about = about_of(form.fields)
            if len(form.files) > most:
                raise InvalidInput(f"the form holds more than {most} files", field="file")
            if about.name is not None and len(form.files) > 1:
                raise InvalidInput("name is for one file: several keep theirs", field="name")
            wishes = [(file, about.to_wish(file.name), _media(file)) for file in form.files]
            await self.documents.base_for(who, wishes[0][1])
            return [await self._file(who, about, file, media) for file, _, media in wishes]
        finally:
            self.spool.drop(place.name)

    async def either(self, who: Caller, body: AsyncIterator[bytes], content_type: str) -> Taken:
        """One document, by a form with one file or by the JSON of `DocumentIn`."""
        if content_type.partition(";")[0].strip().lower() == "application/json":
            return await self.described(who, described_by(await self._whole(body)))
        taken = await self.form(who, body, content_type, most=1)
        return taken[0]

    async def described(self, who: Caller, data: DocumentIn) -> Taken:
        """A document as text, or by its address."""
        if (data.text is None) == (data.url is None):
            raise InvalidInput("give either text or url", field="text")
        job = new_id()
        if data.url is not None:
            url = str(checked_url(data.url))
            return await self.documents.take(who, data.to_wish(url), Content(job, url=url))
        if data.name is None:
            raise InvalidInput("a text needs a name", field="name")
        body = (data.text or "").encode("utf-8", "surrogatepass")
        path = (await asyncio.to_thread(self.spool.place, job)) / TEXT_FILE
        await asyncio.to_thread(path.write_bytes, body)
        hashed = hashlib.sha256(body).hexdigest()
        content = Content(job, TEXT_FILE, Media(data.media), len(body), hashed)
        return await self._kept(who, data, data.name, content)

    async def _whole(self, body: AsyncIterator[bytes]) -> bytes:
        parts: list[bytes] = []
        size = 0
        async for block in body:
            parts.append(block)
            size += len(block)
            if size > self.limit:
                raise TooLarge(f"a document holds at most {self.limit:,} bytes")
        return b"".join(parts)

    async def _file(self, who: Caller, about: AboutDocument, file: Incoming, media: Media) -> Taken:
        job = new_id()
        target = (await asyncio.to_thread(self.spool.place, job)) / file.path.name
        await asyncio.to_thread(file.path.rename, target)
        content = Content(job, target.name, media, file.size, file.sha256)
        return await self._kept(who, about, file.name, content)

    async def _kept(self, who: Caller, about: AboutDocument, name: str, content: Content) -> Taken:
        """Hand in; what no job waits for leaves the spool."""
        needed = False
        try:
            taken = await self.documents.take(who, about.to_wish(name), content)
            needed = taken.job is not None
            return taken
        finally:
            if not needed:
                self.spool.drop(content.place)


def _media(file: Incoming) -> Media:
    return media_of(file.content_type, file.name)
