"""Files of imports and exports on their way: one folder a job, which API and worker share."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from app.errors import HomeUnusable
from app.kernel.clock import now
from app.kernel.ids import checked_id
from app.settings import Settings

KEPT = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Spool:
    """The folder; `limit` is the size of one upload, in bytes."""

    folder: Path
    limit: int

    def place(self, job: str) -> Path:
        """The folder of one job, made if it is new; HomeUnusable where that fails."""
        place = self.folder / _folder_name(checked_id(job, "job"))
        try:
            place.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise HomeUnusable(
                f"Cannot write to {self.folder} ({error.strerror}): point LOCI_API__IMPORT_DIR to "
                "a folder that API and worker share."
            ) from error
        return place

    def drop(self, job: str) -> None:
        """Remove what a job left."""
        shutil.rmtree(self.place(job), ignore_errors=True)

    def expire(self, kept: Iterable[str] = ()) -> int:
        """Remove folders that nothing was written to for a day; returns how many.

        Those of the jobs in `kept` stay, however old.
        """
        before = (now() - KEPT).timestamp()
        needed = {_folder_name(job) for job in kept}
        found = [p for p in self.folder.glob("*") if p.is_dir() and p.name not in needed]
        old = [p for p in found if p.stat().st_mtime < before]
        for place in old:
            shutil.rmtree(place, ignore_errors=True)
        return len(old)

    def expires_at(self) -> datetime:
        """When what is written now goes away at the earliest."""
        return now() + KEPT


def _folder_name(job: str) -> str:
    return job.replace(":", "_")


def spool_of(settings: Settings) -> Spool:
    """The spool that the settings name: below LOCI_HOME unless a folder is given."""
    folder = settings.api.import_dir or settings.runtime.home / "imports"
    return Spool(folder.expanduser().absolute(), settings.api.max_upload)
