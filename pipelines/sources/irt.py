"""Item response fits, derived from the BenchMIRT responses of the same version."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from pipelines.options import Option
from pipelines.source import BuildContext, Built, Source
from warehouse.code import code_hash, contract_hash
from warehouse.contracts import LICENCES, TABLES, Issue
from warehouse.contracts.benchmirt import IRT_MODELS, MAX_DIMS
from warehouse.contracts.benchmirt import IRT_SOURCE as NAME
from warehouse.contracts.benchmirt import SOURCE as ORIGIN
from warehouse.errors import LakeError
from warehouse.storage.assemble import tables_of
from warehouse.storage.record import damaged, files_of, read_record

if TYPE_CHECKING:
    from transforms.irt import Request

OPTIONS: Final = (
    Option("irt-fit", "Fit the responses with this model, and publish the fit.", choices=IRT_MODELS),
    Option("irt-dims", "Dimensions of ability; more than one needs m2pl.", "count", default="1"),
    Option("irt-folds", "Folds of the cross-validation; 0 leaves its predictions out.", "count", default="10", least=0),
    Option("irt-models", "Models that take part; default: the largest group whose rows agree.", multiple=True),
    Option("irt-selection", "Name of the selection of models, part of the fit's name; default: made from the models."),
    Option("irt-max-iterations", "Steps after which a fit ends, converged or not; default: 1000.", "count"),
    Option("irt-no-priors", "Fit by plain maximum likelihood, as published estimates of small tests are.", "flag"),
)
# What `transforms.irt` imports, directly or by way of another. What makes the tables that a fit reads shows in them.
_CODE: Final = ("transforms/irt/*.py", "transforms/issue_log.py", "warehouse/contracts/*.py")
_KEPT: Final = ("irt_fit", "irt_dims", "irt_folds", "irt_models", "irt_selection", "irt_no_priors")


def build(context: BuildContext) -> Built | None:
    """Stage the fit asked for and those of the current version; what is known of the same responses is not redone."""
    responses = context.stage.version / "tables" / "benchmirt_responses" / "part-0.parquet"
    wanted = _wanted(context)
    if not wanted:
        return None
    if not responses.is_file():
        if context.options.get("irt_fit"):
            raise LakeError("There are no responses to fit: build with --benchmirt first.")
        return None
    key = _key(responses, _alignment(responses))
    built = Built(inputs={"licence": LICENCES[ORIGIN]})
    known, noticed = _known(context, key)
    if not known:
        # Other code may name a fit in another way.
        wanted = {_request(settings).fit_id: settings for settings in wanted.values()}
    found: dict[str, Sequence[Issue]] = {}
    parts: dict[str, list[pl.DataFrame]] = {name: [TABLES[name].empty()] for name in tables_of(NAME)}
    with context.reporter.step("irt", len(wanted), "fits") as advance:
        for fit_id, settings in wanted.items():
            if known.get(fit_id) == settings and fit_id in noticed:
                tables = _known_rows(context, fit_id)
                found[fit_id] = noticed[fit_id]
            else:
                tables, found[fit_id] = _fit(fit_id, settings, responses)
            for name, rows in tables.items():
                parts[name].append(rows)
            advance(1)
    built.issues = [issue for issues in found.values() for issue in issues]
    kept = {fit_id: [issue.as_dict() for issue in issues] for fit_id, issues in found.items()}
    built.state = {"key": key, "fits": wanted, "issues": kept}
    built.files = [context.stage.put(name, pl.concat(rows)) for name, rows in parts.items()]
    return built


def _known(context: BuildContext, key: str) -> tuple[Mapping[str, Any], Mapping[str, Sequence[Issue]]]:
    """Return the settings of the current version's fits of the same responses, and what was noticed of each."""
    if context.previous.get("key") != key:
        return {}, {}
    current = context.lake.require_current()
    if damaged(current, files_of(read_record(current), tables_of(NAME))):
        return {}, {}
    issues = context.previous.get("issues", {})
    noticed = {fit_id: [Issue.from_dict(issue) for issue in found] for fit_id, found in issues.items()}
    return context.previous.get("fits", {}), noticed


def _wanted(context: BuildContext) -> dict[str, dict[str, Any]]:
    """Return the settings of every fit of this version by fit id: those known before, and the one asked for."""
    wanted = dict(context.previous.get("fits", {}))
    if context.options.get("irt_fit"):
        settings = {name: context.options.get(name) for name in _KEPT}
        settings["irt_models"] = sorted(set(settings["irt_models"] or ()))
        if context.options.get("irt_max_iterations"):
            settings["irt_max_iterations"] = int(context.options["irt_max_iterations"])
        fit_id = _request(settings).fit_id
        _refuse_another(fit_id, wanted.get(fit_id), settings)
        wanted[fit_id] = settings
    return dict(sorted(wanted.items()))


def _refuse_another(fit_id: str, before: Mapping[str, Any] | None, settings: Mapping[str, Any]) -> None:
    """Refuse a fit under the name of one of other models or priors. Raises LakeError."""
    if before is None:
        return
    models = [set(found.get("irt_models") or ()) for found in (before, settings)]
    if models[0] != models[1] or bool(before.get("irt_no_priors")) != bool(settings.get("irt_no_priors")):
        described = [f"{len(names)} named models" if names else "all aligned models" for names in models]
        without = [", without priors" if found.get("irt_no_priors") else "" for found in (before, settings)]
        raise LakeError(
            f"The fit {fit_id} is there, of {described[0]}{without[0]}; the one asked for is of {described[1]}"
            f"{without[1]}, and would replace it. Give it another name with --selection (--irt-selection in a build)."
        )


def _request(settings: Mapping[str, Any]) -> Request:
    # The fit needs scipy, which takes its time to import: only in builds that fit.
    from transforms.irt import WITHOUT_PRIORS, Request, Settings

    how = WITHOUT_PRIORS if settings.get("irt_no_priors") else Settings()
    most = settings.get("irt_max_iterations") or how.max_iterations
    return Request(
        model=settings["irt_fit"],
        dims=int(settings.get("irt_dims") or 1),
        n_folds=int(settings.get("irt_folds") or 0),
        models=settings.get("irt_models") or None,
        selection=settings.get("irt_selection") or None,
        settings=replace(how, max_iterations=most),
    )


def _alignment(responses: Path) -> Path:
    return responses.parents[1] / "benchmirt_alignment" / responses.name


def _key(*tables: Path) -> str:
    """Return what fits depend on besides their settings: the tables they read, the code that runs, the contracts."""
    digest = hashlib.sha256()
    for path in tables:
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    digest.update((code_hash(*_CODE) + contract_hash(TABLES[name] for name in tables_of(NAME))).encode())
    return digest.hexdigest()


def _known_rows(context: BuildContext, fit_id: str) -> Mapping[str, pl.DataFrame]:
    current = context.lake.require_current() / "tables"
    tables = {name: pl.read_parquet(current / name / "part-0.parquet", glob=False) for name in tables_of(NAME)}
    return {name: rows.filter(fit_id=fit_id) for name, rows in tables.items()}


def _fit(
    fit_id: str, settings: Mapping[str, Any], responses: Path
) -> tuple[Mapping[str, pl.DataFrame], Sequence[Issue]]:
    from transforms.irt import IrtInputError, fit_tables

    alignment = pl.read_parquet(_alignment(responses), glob=False)
    try:
        found = fit_tables(pl.read_parquet(responses, glob=False), _request(settings), alignment)
    except IrtInputError as problem:
        raise LakeError(f"The fit {fit_id} was refused: {problem}") from problem
    return found.tables, found.issues


def fit_problems(options: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[str]:
    """Yield a sentence for a fit that can not be: more dimensions than its model has, or a cross-validation of one."""
    model, dims, folds = (options[key] for key in ("irt_fit", "irt_dims", "irt_folds"))
    if model and (dims > MAX_DIMS or (dims > 1 and model != "m2pl")):
        yield f"{names['irt_dims']} is {dims} and {model} has 1 dimension: m2pl takes 1 to {MAX_DIMS}."
    if model and folds == 1:
        yield f"{names['irt_folds']} is 1: expected 0 for no cross-validation, or 2 and more."


SOURCE: Final = Source(NAME, "irt_fit", OPTIONS, build, derived_from=ORIGIN, problems=fit_problems)
