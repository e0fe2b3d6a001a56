"""The release's pickles, compared with the packets. They are older than the packets, and nothing is taken from them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any, Final

from transforms.grace import rules
from transforms.grace.notes import Notes
from transforms.grace.pickles import PickleRefusedError, Plain, load_plain
from transforms.grace.tables import Limits, Row, file_row
from transforms.issue_log import of_files
from warehouse.contracts import Issue
from warehouse.contracts.grace import SOURCE


class Packets:
    """What the packets say, by question: who buzzed, and who buzzed anywhere in the packet."""

    def __init__(self, questions: list[Row], buzzes: list[Row]) -> None:
        index = {(row["packet"], row["ordinal"]): row["tossup_index"] for row in questions}
        self.questions: dict[tuple[int, str], set[str]] = {(key[0], name): set() for key, name in index.items()}
        self.teams: dict[int, set[str]] = defaultdict(set)
        for row in buzzes:
            name = index.get((row["packet"], row["ordinal"]))
            if name is not None:
                self.questions[row["packet"], name].add(row["team"])
                self.teams[row["packet"]].add(row["team"])

    @property
    def n_buzzes(self) -> int:
        """Buzzes of all questions."""
        return sum(len(teams) for teams in self.questions.values())


def is_pickle(name: str) -> bool:
    """Tell whether a file is named as one of the release's pickles."""
    return name.rsplit("/", 1)[-1] in _AUDITS


def audit_pickles(
    pickles: Mapping[str, bytes | None], packets: Packets, limits: Limits
) -> tuple[list[Issue], list[Row]]:
    """Return the findings about the pickles, and their rows of `source_files`. `pickles`: bytes by file name.

    What is not one of the release's pickles is not read, and may have None in the place of its bytes.
    """
    issues: list[Issue] = []
    files: list[Row] = []
    strangers = {name: 1 for name in sorted(pickles) if not is_pickle(name)}
    if strangers:
        one, many = "This is none of the release's pickles and is not read.", "are none of its pickles and are not read"
        issues.append(of_files(rules.PICKLE_UNKNOWN, strangers, one, many, source=SOURCE))
    for name, data in sorted(pickles.items()):
        if name in strangers:
            files.append(file_row(name, "other", "unlisted", data))
            continue
        notes = Notes.of(name)
        files.append(_audit(name, data or b"", packets, limits, notes))
        issues.extend(notes.log.issues)
    return issues, files


def _audit(name: str, data: bytes, packets: Packets, limits: Limits, notes: Notes) -> Row:
    compare = _AUDITS[name.rsplit("/", 1)[-1]]
    try:
        if len(data) > limits.pickle_bytes:
            raise PickleRefusedError(f"it has {len(data)} bytes, more than the {limits.pickle_bytes} that are read")
        compare(load_plain(data), packets, notes)
    except PickleRefusedError as error:
        notes.add(rules.PICKLE_REFUSED, f"{name} is refused: {error}. Nothing of it was executed.")
        return file_row(name, "pickle", "refused", data)
    return file_row(name, "pickle", "ok", data)


def _strings(value: Plain) -> list[str] | None:
    """Return a list of strings as it is, None for anything else."""
    if not isinstance(value, list):
        return None
    found = [item for item in value if isinstance(item, str)]
    return found if len(found) == len(value) else None


def _shape(notes: Notes, expected: str) -> None:
    notes.add(rules.PICKLE_SHAPE, f"{notes.path} is not {expected}; it is not compared.")


def _stale(notes: Notes, n: int, difference: str) -> None:
    if n:
        notes.add(rules.PICKLE_STALE, f"{notes.path} {difference}; the packets count.", value=str(n))


def _all_teams(found: Plain, packets: Packets, notes: Notes) -> None:
    teams = _strings(found)
    if teams is None:
        _shape(notes, "a list of team names")
        return
    buzzing = set().union(*packets.teams.values())
    _stale(notes, len(set(teams) - buzzing), f"names {len(set(teams) - buzzing)} teams that never buzz")
    _stale(notes, len(buzzing - set(teams)), f"leaves out {len(buzzing - set(teams))} teams that buzz")


def _entry(value: Plain, *lists: str) -> tuple[tuple[int, str], list[set[str]]] | None:
    """Return a question's (packet, tossup_index) and the sets of team names under `lists`; None for another shape."""
    if not isinstance(value, dict):
        return None
    packet, index = value.get("packet"), value.get("tossup_index")
    teams = [_strings(value.get(name)) for name in lists]
    if not isinstance(packet, int) or isinstance(packet, bool) or not isinstance(index, str | int):
        return None
    if any(names is None for names in teams):
        return None
    return (packet, str(index)), [set(names or ()) for names in teams]


def _teams_seen(found: Plain, packets: Packets, notes: Notes) -> None:
    """Compare `human_model_team_per_question`: a map by tossup_index, so one of two questions of one index is lost."""
    values = list(found.values()) if isinstance(found, dict) else [None]
    entries = [_entry(value, "human_teams", "model_teams", "seen") for value in values]
    known = [entry for entry in entries if entry]
    if len(known) < len(entries):
        _shape(notes, "a map from tossup_index to packet, human_teams, model_teams and seen")
        return
    # Looked up as the publishers do, by tossup_index alone: where two questions share one, the last one's entry.
    listed = {index: humans | models for (_, index), (humans, models, _) in known}
    seen = {index: teams for (_, index), (_, _, teams) in known}
    n_questions = len(packets.questions)
    if len(listed) != n_questions:
        _stale(notes, len(listed), f"has {len(listed)} entries for {n_questions} questions")
    n_listed = sum(len(teams) for teams in listed.values())
    if n_listed != packets.n_buzzes:
        _stale(notes, n_listed, f"lists {n_listed} of {packets.n_buzzes} buzzes")
    other = sum(listed.get(index, set()) != teams for (_, index), teams in packets.questions.items())
    _stale(notes, other, f"lists other teams than buzz in {other} questions")
    unseen = [extra for (_, index), teams in packets.questions.items() if (extra := teams - seen.get(index, set()))]
    n_unseen = sum(len(teams) for teams in unseen)
    difference = f"does not count {n_unseen} buzzes of {len(unseen)} questions among the teams that saw them"
    _stale(notes, n_unseen, difference)


def _teams_in_packet(found: Plain, packets: Packets, notes: Notes) -> None:
    """Compare `human_team_per_question`: a list, a row a question, with the teams of its packet."""
    entries = [_entry(value, "total_human_teams") for value in found] if isinstance(found, list) else [None]
    known = [entry for entry in entries if entry]
    if len(known) < len(entries):
        _shape(notes, "a list of maps with tossup_index, packet and total_human_teams")
        return
    lost = set(packets.questions) - {key for key, _ in known}
    _stale(notes, len(lost), f"has no entry for {len(lost)} of {len(packets.questions)} questions")
    models = sum(any(team.startswith("M") for team in teams) for _, (teams,) in known)
    _stale(notes, models, f"counts models among the human teams of {models} questions")
    odd = sum(any(not team.startswith(("H", "M")) for team in teams) for _, (teams,) in known)
    _stale(notes, odd, f"has a placeholder that is no team in {odd} questions")
    other = sum(_real(teams) != packets.teams[key[0]] for key, (teams,) in known)
    _stale(notes, other, f"has other teams than buzz in the packet in {other} questions")


def _real(teams: set[str]) -> set[str]:
    return {team for team in teams if team.startswith(("H", "M"))}


_AUDITS: Final[dict[str, Callable[[Any, Packets, Notes], None]]] = {
    "all_teams.pkl": _all_teams,
    "human_model_team_per_question.pkl": _teams_seen,
    "human_team_per_question.pkl": _teams_in_packet,
}
