"""`python -m app.runtime`: the supervisor alone, as `loci up --detach` starts it."""

from __future__ import annotations

import sys

from app.errors import LociError
from app.runtime.commands import own_commands
from app.runtime.config import runtime_config
from app.runtime.logs import log_to_file
from app.runtime.supervisor import AlreadyRunning, Interrupted, Supervisor
from app.settings import read_settings


def main(arguments: list[str]) -> int:
    """Run until told to stop; 0 then, 1 for a failure, which the state file tells."""
    config = runtime_config(read_settings())
    upgrade = "--upgrade-store" in arguments
    supervisor = Supervisor(config, own_commands(config), upgrade_store=upgrade)
    try:
        with log_to_file(config), supervisor.running():
            supervisor.tend()
    except (AlreadyRunning, Interrupted):
        return 0
    except LociError as error:
        sys.stderr.write(f"{error.detail}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
