"""`callake`: build a lake, ask it, look after it."""

from __future__ import annotations

import importlib
import pkgutil
import sys

import click

from pipelines.commands.common import printable
from warehouse.errors import LakeError, RefusedError
from warehouse.storage.failures import system_errors


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="calibration-lake", prog_name="callake")
def cli() -> None:
    """A data lake for studying whether language models know what they know.

    Exit codes: 0 done, 1 refused (nothing was published), 2 wrong usage. Errors go to standard error.
    """


def _register() -> None:
    package = importlib.import_module("pipelines.commands")
    for module in sorted(pkgutil.iter_modules(package.__path__), key=lambda m: m.name):
        for command in getattr(importlib.import_module(f"{package.__name__}.{module.name}"), "COMMANDS", ()):
            cli.add_command(command)


_register()


def main() -> None:
    """Run `callake`; a refusal is one or more sentences on standard error and exit code 1."""
    try:
        with system_errors("The command"):
            cli.main(standalone_mode=False)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
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
