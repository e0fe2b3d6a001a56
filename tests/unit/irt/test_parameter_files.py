"""py-irt's parameter files: both ways, in its own shapes, and every way a file can be wrong."""

from __future__ import annotations

import json

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synthetic.sra.faults.base import POINTER
from transforms.irt import IrtInputError, Parameters, read_parameters, write_parameters

ITEMS = ["bbh__boolean_expressions_0", "trustllm_jailbreaktrigger__['bad words']_12", 'odd, "quoted"\nid é']
MODELS = ["01-ai__Yi-34B-Chat", "o1"]


def parameters(dims: int, seed: int = 0) -> Parameters:
    random = np.random.default_rng(seed)
    return Parameters(
        "m2pl" if dims > 1 else "2pl",
        MODELS,
        ITEMS,
        random.normal(size=(3, dims)),
        random.normal(size=3),
        random.normal(size=(2, dims)),
    )


def logits(found: Parameters) -> npt.NDArray[np.float64]:
    return found.abilities @ found.slopes.T + found.intercepts


@given(st.integers(1, 4), st.integers(0, 1000))
@settings(max_examples=30, deadline=None)
def test_a_round_trip_keeps_names_and_logits(dims: int, seed: int) -> None:
    before = parameters(dims, seed)
    after = read_parameters(write_parameters(before))
    assert (after.items, after.models, after.irt_model) == (ITEMS, MODELS, before.irt_model)
    assert np.abs(logits(after) - logits(before)).max() < 1e-9
    assert np.array_equal(after.slopes, before.slopes)
    assert np.array_equal(after.abilities, before.abilities)


def test_the_shapes_are_those_of_py_irt() -> None:
    one = json.loads(write_parameters(parameters(1)))
    assert sorted(one) == ["ability", "diff", "disc", "irt_model", "item_ids", "subject_ids"]
    assert (np.shape(one["ability"]), np.shape(one["diff"]), np.shape(one["disc"])) == ((2,), (3,), (3,))
    assert one["item_ids"] == {"0": ITEMS[0], "1": ITEMS[1], "2": ITEMS[2]}
    assert one["irt_model"] == "2pl"
    two = json.loads(write_parameters(parameters(2)))
    assert (np.shape(two["ability"]), np.shape(two["diff"]), np.shape(two["disc"])) == ((2, 2), (3, 2), (3, 2))
    assert two["irt_model"] == "multidim_2pl"


def test_their_logit_is_the_sum_over_dimensions_of_discrimination_times_distance() -> None:
    before = parameters(3)
    theirs = json.loads(write_parameters(before))
    ability, diff, disc = (np.array(theirs[name]) for name in ("ability", "diff", "disc"))
    expected = (disc[None] * (ability[:, None] - diff[None])).sum(axis=2)
    assert logits(before) == pytest.approx(expected)


def test_a_rotated_file_takes_its_names_from_the_sibling() -> None:
    record = json.loads(write_parameters(parameters(2)))
    rotated = {f"{name}_rot": record[name] for name in ("ability", "diff", "disc")}
    data = json.dumps(rotated).encode()
    found = read_parameters(data, ids_from=json.dumps(record).encode())
    assert (found.items, found.irt_model) == (ITEMS, "m2pl")
    assert found.intercepts == pytest.approx(parameters(2).intercepts)
    with pytest.raises(IrtInputError, match=r"lacks 'item_ids'.* give its unrotated sibling"):
        read_parameters(data)


def test_an_item_without_a_slope_has_no_difficulty_to_write() -> None:
    before = parameters(2)
    before.slopes[1] = 0.0
    with pytest.raises(IrtInputError, match="1 items have no slope"):
        write_parameters(before)


def changed(**changes: object) -> bytes:
    record = json.loads(write_parameters(parameters(1)))
    return json.dumps({**record, **changes}).encode()


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"{", "is not JSON"),
        (b"[" * 100_000, "nests deeper"),
        (b'{"disc": [1.0], "disc": [2.0]}', "these keys twice in one object.*'disc'"),
        (POINTER, "a Git LFS pointer, not the file"),
        (b"[1, 2]", "holds an array"),
        (b"{}", "lacks 'ability'"),
        (changed(disc=None), "'disc' in the parameter file is not a list of numbers"),
        (changed(disc=[1.0, None, 2.0]), "'disc' in the parameter file is not a list of numbers"),
        (changed(disc=["1.0", "2.0", "3.0"]), "'disc' in the parameter file is not a list of numbers"),
        (changed(disc=[True, False, True]), "'disc' in the parameter file is not a list of numbers"),
        (changed(disc=[10**400, 1, 2]), "number is infinity"),
        (changed(disc=[1e300] * 3, diff=[1e300] * 3), "their products are not finite"),
        (changed(item_ids={"0": "a", "1": "\ud800", "2": "c"}), "half a surrogate pair"),
        (changed(disc="x"), "'disc' in the parameter file is not a list of numbers"),
        (changed(disc=[[1.0], [2.0, 3.0], [1.0]]), "not a list of numbers of one shape"),
        (changed(diff=[1.0, float("nan"), 2.0]), "not a finite matrix"),
        (changed(diff=[1.0, 2.0]), "2 models and 3 items"),
        (changed(ability=[[1.0, 2.0], [1.0, 2.0]]), "have shapes"),
        (changed(item_ids={"0": "a", "2": "b", "3": "c"}), "not 0 to 2, each once"),
        (changed(item_ids={"0": "a", "1": "a", "2": "c"}), "names 1 rows twice"),
        (changed(subject_ids=["a", "b"]), "lacks 'subject_ids'"),
        (changed(subject_ids={"0": 1, "1": 2}), "lacks 'subject_ids'"),
    ],
)
def test_a_file_that_is_wrong_is_refused_in_words(data: bytes, says: str) -> None:
    with pytest.raises(IrtInputError, match=says):
        read_parameters(data)


def test_the_reason_shows_names_that_are_cut_and_escaped() -> None:
    with pytest.raises(IrtInputError, match="lacks 'ability'") as caught:
        read_parameters(json.dumps({f"\x1b[2J{'k' * 5_000}{i}": i for i in range(50)}).encode())
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 2_000


@pytest.mark.parametrize("kind", [1, ["2pl"], {"a": 1}])
def test_a_kind_that_is_no_text_is_none(kind: object) -> None:
    assert read_parameters(changed(irt_model=kind)).irt_model == ""


@pytest.mark.parametrize(("slope", "intercept"), [(1e200, 1.0), (1e-160, 1e300)])
def test_parameters_without_finite_difficulties_are_not_written(slope: float, intercept: float) -> None:
    found = Parameters("2pl", MODELS[:1], ITEMS[:1], np.array([[slope]]), np.array([intercept]), np.array([[0.0]]))
    if slope < 1.0:
        with pytest.raises(IrtInputError, match=r"to be finite|no slope"):
            write_parameters(found)
    else:
        assert read_parameters(write_parameters(found)).slopes.tolist() == [[slope]]
