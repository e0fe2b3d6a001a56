"""`callake`: build a lake, ask it, look after it."""

from __future__ import annotations

import importlib
import sys
from typing import Any, Final

import click

from pipelines.memory import collect_rarely
from pipelines.terminal import printable, use_forgiving_streams
from warehouse.errors import LakeError, RefusedError
from warehouse.storage.failures import system_errors

_MODULES: Final = {
    "build": "build",
    "catalog": "versions",
    "demo": "demo",
    "export": "export",
    "gc": "versions",
    "irt": "irt",
    "report": "report",
    "rollback": "versions",
    "sample": "sample",
    "sql": "ask",
    "status": "versions",
    "tables": "ask",
    "verify": "verify",
    "verify-lake": "versions",
    "versions": "versions",
}
"""Which module of `pipelines.commands` has a command."""


class _OnDemand(click.Group):
    """Imports a command when it is asked for: a question need not wait for what only builds use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands' names."""
        return sorted(_MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, or None where there is none of the name."""
        if cmd_name not in _MODULES:
            return None
        module = importlib.import_module(f"pipelines.commands.{_MODULES[cmd_name]}")
        commands: tuple[click.Command, ...] = module.COMMANDS
        return next(command for command in commands if command.name == cmd_name)

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - as click has it
        """Run the command asked for; what the system refuses is a sentence, before click makes anything else of it."""
        with system_errors("The command"):
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result


@click.group(cls=_OnDemand, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="calibration-lake", prog_name="callake")
def cli() -> None:
    """A data lake for studying whether language models know what they know.

    Exit codes: 0 done, 1 refused (nothing was published), 2 wrong usage. Errors go to standard error.
    """


def main() -> None:
    """Run `callake`; a refusal is one or more sentences on standard error and exit code 1."""
    collect_rarely()
    use_forgiving_streams()
    try:
        cli.main(standalone_mode=False)
    except LakeError as problem:
        if not isinstance(problem, RefusedError) or not problem.issues:
            lines = f"callake: {problem}".split("\n")
            click.echo("\n".join(map(printable, lines)), err=True)
        sys.exit(1)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except click.ClickException as problem:
        problem.show()
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        click.echo("callake: stopped; nothing was published.", err=True)
        sys.exit(130)


if __name__ == "__main__":
    main()
