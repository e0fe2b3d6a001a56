"""The rules that make switches work without a script."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipelines.report.model import Section, Switch


def switch_rules(sections: Sequence[Section]) -> str:
    """Return the style rules of every switch: what an option does not choose is not displayed."""
    return "\n".join(rule for section in sections for switch in section.switches for rule in _rules(section.id, switch))


def _rules(section: str, switch: Switch) -> Iterator[str]:
    for number in range(len(switch.options)):
        chosen = f":has(#{section}-{switch.name}-{number}:checked)"
        if switch.many:
            yield f"#{section}:not({chosen}) .{switch.name}{number}{{display:none}}"
        else:
            yield f"#{section}{chosen} .{switch.name}:not(.{switch.name}{number}){{display:none}}"
