"""Arms from every kind of input, and the refusal of bad ones."""

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from logts import Arms, BestArm, Ranking, Status, Threshold, lower_bound
from logts.tools.algebra import Array
from logts.tools.names import Numbered


def test_names_are_kept_and_shown() -> None:
    arms = Arms([[1, 0], [0, 1], [1, 1]], names=["red", "green", "blue"])
    assert arms.names == ("red", "green", "blue")
    assert len(arms) == 3
    assert (
        repr(Arms(np.eye(7))) == "Arms(7 arms in 7 dimensions: arm 0, arm 1, arm 2, arm 3, arm 4, and 2 more)"
    )


def test_names_alone_make_unrelated_arms() -> None:
    arms = Arms(names=["a", "b", "c"])
    assert np.array_equal(arms.features, np.eye(3))
    assert arms.dimension == 3


@given(st.integers(1, 6), st.integers(1, 30), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_coordinates_reproduce_every_logit(rank: int, count: int, width: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    features = (
        rng.normal(size=(count, rank)) @ rng.normal(size=(rank, width)) * 10.0 ** rng.integers(-6, 7, width)
    )
    arms = Arms(features, items=(items := rng.normal(size=(4, width)) * np.abs(features).max()))
    assert arms.dimension == np.linalg.matrix_rank(features / np.linalg.norm(features, axis=0))
    theta = rng.normal(size=width) / np.linalg.norm(features, axis=0)
    coordinates = arms.coordinates(theta)
    size = np.abs(features @ theta).max() + np.abs(items @ theta).max()
    assert arms.points @ coordinates[: arms.dimension] == pytest.approx(features @ theta, abs=1e-8 * size)
    assert arms.items.points @ coordinates == pytest.approx(items @ theta, abs=1e-7 * size)
    assert features @ arms.parameter(coordinates) == pytest.approx(features @ theta, abs=1e-8 * size)
    assert arms.points.T @ arms.points / count == pytest.approx(np.eye(arms.dimension), abs=1e-10)


def test_dependent_features_cost_nothing() -> None:
    features = np.array([[1.0, 0, 1], [0, 1, 1], [0.8, 0.3, 1.1]])  # the third is the sum of the others
    assert Arms(features).dimension == 2
    plain = lower_bound(Arms(features[:, :2]), [1.3, 0.2], BestArm())
    assert lower_bound(Arms(features), [1.0, -0.1, 0.3], BestArm()).characteristic_time == pytest.approx(
        plain.characteristic_time
    )


def test_equal_arms_are_interchangeable() -> None:
    single = lower_bound(Arms([[1.0, 0.2], [0.0, 1.0]]), [1.0, 0.3], BestArm())
    double = lower_bound(Arms([[1.0, 0.2], [0.0, 1.0], [1.0, 0.2], [0.0, 1.0]]), [1.0, 0.3], BestArm())
    assert double.status is Status.CONVERGED
    assert double.characteristic_time == pytest.approx(single.characteristic_time)
    assert str(double.answer) == "best: arm 0"


def test_pairwise_comparisons() -> None:
    arms = Arms.pairwise(np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.9]]), names=["x", "y", "z"])
    assert arms.names == ("x vs y", "x vs z", "y vs z")
    assert arms.items.names == ("x", "y", "z")
    assert arms.features == pytest.approx(np.array([[1, -1], [0.5, -0.9], [-0.5, 0.1]]))
    words = Arms.pairwise(["tea", "coffee", "milk"])
    assert words.dimension == 2
    order = lower_bound(words, [1.0, 0.4, -0.3], Ranking())
    assert str(order.answer) == "order: tea > coffee > milk"
    assert order.status is Status.CONVERGED
    # Comparisons say nothing about how often an item alone succeeds.
    level = lower_bound(words, [1.0, 0.4, -0.3], Threshold(0.5))
    assert level.status is Status.NOT_IDENTIFIABLE
    assert level.characteristic_time == np.inf
    with pytest.raises(ValueError, match="at least two"):
        Arms.pairwise(["tea"])


TABLE = {"price": [7.0, 9.0, 7.0, 9.0], "contract": ["none", "none", "5y", "5y"], "label": list("abcd")}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_frames_with_a_formula(make: type) -> None:
    frame = make(TABLE)
    arms = Arms(frame, "~ price + contract")
    assert arms.dimension == 3
    assert arms.names == ("7.0 | none", "9.0 | none", "7.0 | 5y", "9.0 | 5y")
    assert Arms(frame, "~ price + contract", names="label").names == ("a", "b", "c", "d")
    assert Arms(frame, "~ price").names == ("arm 0", "arm 1", "arm 2", "arm 3")  # prices alone would repeat
    judged = Arms(frame, "~ price + contract", items=make({"price": [8.0], "contract": ["5y"]}))
    assert judged.items.names == ("8.0 | 5y",)
    assert judged.item_features == pytest.approx(arms.features[2:].mean(axis=0)[None, :])


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_frames_that_cannot_be_used(make: type) -> None:
    frame = make(TABLE)
    with pytest.raises(ValueError, match="say which columns"):
        Arms(frame)
    with pytest.raises(ValueError, match="does not fit a frame with columns"):
        Arms(frame, "~ colour")
    with pytest.raises(ValueError, match="does not fit"):
        Arms(make({"price": [1.0, None, 3.0]}), "~ price")
    with pytest.raises(ValueError, match="no left side"):
        Arms(frame, "price ~ contract")
    with pytest.raises(ValueError, match="no column is called"):
        Arms(frame, "~ price", names="colour")
    with pytest.raises(ValueError, match="not seen among the arms"):
        Arms(frame, "~ price + contract", items=make({"price": [8.0], "contract": ["9y"]}))
    with pytest.raises(ValueError, match="names must differ"):
        Arms(frame, "~ price", names="contract")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "give features, or names alone"),
        ({"features": [[1.0, np.nan]]}, "features must be finite; row 0"),
        ({"features": [[1.0, 2.0], [np.inf, 0.0]]}, "row 1"),
        ({"features": []}, "two-dimensional"),
        ({"features": np.empty((0, 3))}, "at least one arm"),
        ({"features": [1.0, 2.0]}, "two-dimensional"),
        ({"features": [["a", "b"]]}, "must be numbers"),
        ({"features": [[0.0], [0.0]]}, "all features are zero"),
        ({"features": [[1.0], [2.0]], "names": ["a"]}, "1 names for 2 arms"),
        ({"features": [[1.0], [2.0]], "names": ["a", "a"]}, "names must differ; 'a'"),
        ({"features": [[1.0], [2.0]], "names": "ab"}, "names a frame column"),
        ({"features": [[1.0], [2.0]], "formula": "~ a"}, "needs a frame"),
        ({"features": [[1.0], [2.0]], "items": [[1.0, 2.0]]}, "items have 2 features and arms 1"),
        ({"names": ["a", "b"], "items": [[1.0, 2.0]]}, "items need features"),
        ({"names": []}, "at least one arm"),
    ],
)
def test_bad_input_is_refused_with_advice(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Arms(**arguments)  # type: ignore[arg-type]  # wrong on purpose


@pytest.mark.parametrize("theta", [[1.0], [1.0, 2.0, 3.0], [np.nan, 1.0], [[1.0, 2.0]]])
def test_bad_parameters_are_refused(theta: object) -> None:
    with pytest.raises(ValueError, match="theta must"):
        lower_bound(Arms(np.eye(2)), theta, BestArm())  # type: ignore[arg-type]  # wrong on purpose


def _tall() -> Array:
    """Many rows: in other units, with a column too many, with nearly equal columns, and two equal rows."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(20_000, 8))
    x[:, 3] *= 1e3
    x[:, 4] = x[:, 5] + 1e-5 * rng.normal(size=len(x))
    x[:, 7] = 2.0 * x[:, 6]
    x[7] = x[19_000]
    return x


def test_very_many_arms_are_reduced_like_few() -> None:
    """Block by block it is the same space as by one decomposition of the whole."""
    x = _tall()
    arms = Arms(x)
    theta = np.random.default_rng(1).normal(size=8)
    inside = arms.coordinates(theta)
    singular = np.linalg.svd(x / np.linalg.norm(x, axis=0), compute_uv=False)
    assert arms.dimension == 7 == (singular > 1e-10).sum()
    np.testing.assert_allclose(arms.points.T @ arms.points / len(x), np.eye(7), atol=1e-8)
    np.testing.assert_allclose(arms.points @ inside, x @ theta, rtol=0, atol=1e-12 * np.abs(x @ theta).max())
    np.testing.assert_array_equal(arms.points[7], arms.points[19_000])
    assert arms.features is x  # not copied
    assert np.linalg.matrix_rank(arms.points[arms.spanning]) == 7
    # The norm of the part of theta that the features see.
    seen = np.linalg.lstsq(x, x @ theta, rcond=1e-12)[0]
    assert np.linalg.norm(arms.metric @ inside) == pytest.approx(np.linalg.norm(seen), rel=1e-6)


def test_features_may_lie_in_a_file(tmp_path: Path) -> None:
    x = _tall().astype(np.float32)
    np.save(tmp_path / "x.npy", x)
    arms = Arms(np.load(tmp_path / "x.npy", mmap_mode="r"))
    np.testing.assert_array_equal(arms.points, Arms(x).points)
    assert arms.features.dtype == np.float32


def test_a_row_that_is_not_finite_is_found_among_very_many() -> None:
    x = _tall()
    x[18_000, 2] = np.nan
    with pytest.raises(ValueError, match="row 18000 of the arms"):
        Arms(x)


def test_very_many_names_are_made_when_read() -> None:
    arms = Arms(_tall())
    written = [f"arm {k}" for k in range(20_000)]
    assert isinstance(arms.names, Numbered)
    assert list(arms.names) == written
    assert arms.names == written
    assert arms.names[-1] == "arm 19999"
    assert arms.names[5:8] == ("arm 5", "arm 6", "arm 7")
    assert arms.items.find("arm 17") == 17
    for wrong in ("arm 20000", "arm 017", "arm", "item 3", ""):
        assert wrong not in arms.names
    assert repr(arms) == "Arms(20000 arms in 7 dimensions: arm 0, arm 1, arm 2, arm 3, arm 4, and 19995 more)"
