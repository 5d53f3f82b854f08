"""What can be tried (arms) and what is judged (items), each a point in feature space with a name."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from logts.tools.algebra import Array
from logts.tools.frames import is_frame, model_matrix, plain, plain_rows
from logts.tools.names import Numbered
from logts.tools.tall import BLOCK, blocks, column_norms, is_tall, singular_values, spanning_rows, times


@dataclass(frozen=True)
class Items:
    """The things judged: their coordinates (one row each) and names."""

    points: Array
    names: Sequence[str]

    def __len__(self) -> int:
        return len(self.names)

    def find(self, item: str | int) -> int:
        """Index of an item given by name or index."""
        if isinstance(item, str):
            if item in self.names:
                return self.names.index(item)
            raise ValueError(f"no item is called {item!r}; the items are {_shown(self.names)}")
        if not 0 <= item < len(self):
            raise ValueError(f"item {item} does not exist: there are {len(self)} items, numbered from 0")
        return int(item)


class _Unrelated(Items):
    """Items that are arms by name alone: their coordinates are written out when somebody asks for them."""

    def __init__(self, arms: "Arms") -> None:
        object.__setattr__(self, "names", arms.names)
        object.__setattr__(self, "_arms", arms)  # Items are frozen

    @cached_property
    def points(self) -> Array:
        return self._arms.points  # type: ignore[attr-defined]  # set above, past the frozen dataclass


class Arms:
    """The arms, described by features, and the items, by default the arms themselves.

    Parameters
    ----------
    features
        An array with one row for each arm; a pandas or polars frame, with a ``formula``; or nothing, with
        ``names``: then every arm has a parameter of its own.
    formula
        How columns of the frame become features, for instance ``"~ price + contract"``.
    names
        One name for each arm, or the name of a frame column that holds them.
    items
        The things judged, in the same features (an array, or a frame for the same formula), if they are not
        the arms.
    item_names
        One name for each item, or the name of a frame column.
    columns
        What else is known of each arm, one mapping from column names to values for each; a frame brings its
        own. A live study hands them out with its trials.

    Notes
    -----
    Features that are linearly dependent are reduced to their span. Inside the package arms live in
    coordinates in which ``mean(x x') = I``, so results do not depend on the units of the features.

    An array of more than 16,384 rows is used as it is, not copied, so do not change it; it may be a
    memory-mapped file (``numpy.load(path, mmap_mode="r")``), which is read block by block.

    Examples
    --------
    >>> arms = Arms([[1, 0], [0, 1], [0.9, 0.3]], names=["red", "green", "blue"])
    >>> arms
    Arms(3 arms in 2 dimensions: red, green, blue)
    """

    def __init__(
        self,
        features: ArrayLike | Any | None = None,
        formula: str | None = None,
        *,
        names: Sequence[str] | str | None = None,
        items: ArrayLike | Any | None = None,
        item_names: Sequence[str] | str | None = None,
        columns: Sequence[Mapping[str, Any]] | None = None,
    ) -> None:
        rows: list[dict[str, Any]] | None = None
        self.formula = formula if is_frame(features) else None
        if features is None:
            names = _alone(names, items)
            count = len(names)
        elif is_frame(features):
            self.features, labels, encode = model_matrix(features, formula, names)
            rows = plain_rows(features) if columns is None else None
            if items is not None and is_frame(items):
                items, item_labels = encode(items, item_names)
                item_names = item_labels if item_names is None or isinstance(item_names, str) else item_names
            names = labels if names is None or isinstance(names, str) else names
        else:
            if formula is not None:
                raise ValueError("a formula needs a frame with named columns; an array is used as it is")
            self.features = _matrix(features, "features")
        self._unrelated = features is None
        if not self._unrelated:
            count = len(_checked(self.features, "arm"))
        self.names = _names(names, count, "arm")
        self.columns = (
            tuple(rows)
            if rows is not None
            else tuple({str(name): plain(value) for name, value in row.items()} for row in columns)
            if columns is not None
            else ({},) * len(self)
        )
        if len(self.columns) != len(self):
            raise ValueError(f"got {len(self.columns)} rows of columns for {len(self)} arms")
        self._reduce()
        self.own_items = items is None
        if self._unrelated:
            self.items: Items = _Unrelated(self)
        elif items is None:
            self.items = Items(self.points, self.names)
        else:
            self.item_features = _checked(_matrix(items, "items"), "item")
            if self.item_features.shape[1] != self.features.shape[1]:
                raise ValueError(
                    f"items have {self.item_features.shape[1]} features and arms {self.features.shape[1]}: "
                    "describe both by the same features"
                )
            self.items = Items(self._item_points(), _names(item_names, len(self.item_features), "item"))

    @classmethod
    def pairwise(
        cls,
        items: ArrayLike | Sequence[str],
        *,
        names: Sequence[str] | None = None,
        columns: Sequence[Mapping[str, Any]] | None = None,
    ) -> "Arms":
        """Comparisons: an arm for each pair of items, yes meaning that the first one wins.

        A trial tells both names as its columns ``first`` and ``second``. What else is known of each item,
        ``columns``, comes as ``first_x`` and ``second_x``.

        Parameters
        ----------
        items
            Names; or features, a row for each item, with ``names``.
        names
            One name for each item, if features are given.
        columns
            What else is known of each item.

        Returns
        -------
        Arms
            An arm for each pair, and the items.

        Examples
        --------
        >>> Arms.pairwise(["tea", "coffee", "milk"])
        Arms(3 arms in 2 dimensions: tea vs coffee, tea vs milk, coffee vs milk; 3 items: tea, coffee, milk)
        """
        listed = np.asarray(items)
        if listed.dtype.kind in "UO" and listed.ndim == 1:
            points = np.eye(len(listed))
            labels: Sequence[str] = tuple(str(name) for name in listed)
        else:
            points = _checked(_matrix(items, "items"), "item")
            labels = _names(names, len(points), "item")
        if len(points) < 2:
            raise ValueError("comparisons need at least two items")
        pairs = list(combinations(range(len(points)), 2))
        first, second = np.array(pairs).T
        known = [{} for _ in labels] if columns is None else columns
        return cls(
            points[first] - points[second],
            names=[f"{labels[i]} vs {labels[k]}" for i, k in pairs],
            items=points,
            item_names=labels,
            columns=[
                {
                    "first": labels[i],
                    "second": labels[k],
                    **{f"first_{name}": value for name, value in known[i].items()},
                    **{f"second_{name}": value for name, value in known[k].items()},
                }
                for i, k in pairs
            ],
        )

    def __len__(self) -> int:
        return len(self.names)

    @property
    def dimension(self) -> int:
        """Dimension of the span of the arms."""
        return len(self._singular)

    # Arms by names alone have features and points when somebody asks for them, and not before: there are
    # squares of as many numbers as there are arms. Of all others the constructor writes them down.

    @cached_property
    def features(self) -> Array:
        """One row for each arm."""
        return np.eye(len(self))

    @cached_property
    def points(self) -> Array:
        """The arms in the package's coordinates."""
        return np.sqrt(len(self)) * self.features

    @cached_property
    def item_features(self) -> Array:
        """One row for each item."""
        return self.features

    @cached_property
    def by_name(self) -> bool:
        """Whether every arm has one parameter of its own: its name is all that describes it."""
        return self._unrelated or (
            self.features.shape == (len(self), len(self)) and np.array_equal(self.features, np.eye(len(self)))
        )

    @cached_property
    def spanning(self) -> NDArray[np.intp]:
        """Numbers of as many arms as there are dimensions, chosen far apart, that span the space."""
        if self._unrelated:
            return np.arange(len(self))
        return spanning_rows(self.points)

    @cached_property
    def metric(self) -> Array:
        """Matrix M such that ``|M coordinates|`` is the norm of the parameter in the user's features."""
        if self._unrelated:
            return self.points
        features, points = self.features, self.points
        if is_tall(features):  # they are points A, and A says all that is needed of them
            features = self._singular[:, None] / np.sqrt(len(self)) * self._right * self._scale
            points = np.eye(self.dimension)
        basis = np.linalg.svd(features, full_matrices=False)[2][: self.dimension].T
        return np.linalg.lstsq(features @ basis, points, rcond=None)[0]

    def __repr__(self) -> str:
        text = f"{len(self)} arms in {self.dimension} dimensions: {_shown(self.names)}"
        if not self.own_items:
            text += f"; {len(self.items)} items: {_shown(self.items.names)}"
        return f"Arms({text})"

    def coordinates(self, theta: ArrayLike) -> Array:
        """Coordinates of a parameter in the user's features: ``points @ coordinates = features @ theta``.

        Parameters
        ----------
        theta
            One number for each feature.

        Returns
        -------
        Array
            Its coordinates: those that the arms measure, then those beyond their span.
        """
        given = np.asarray(theta, dtype=float)
        wanted = len(self._scale)
        if given.shape != (wanted,):
            raise ValueError(
                f"theta must hold {wanted} numbers, one for each feature; got an array of shape {given.shape}"
            )
        if not np.isfinite(given).all():
            raise ValueError("theta must be finite; got NaN or infinity")
        scaled = self._scale * given
        turned = scaled if self._unrelated else self._right @ scaled
        inside = self._singular / np.sqrt(len(self)) * turned
        return np.concatenate([inside, self._beyond.T @ scaled])

    def parameter(self, coordinates: Array) -> Array:
        """The parameter in the user's features with these coordinates; one of many for dependent ones.

        Parameters
        ----------
        coordinates
            Coordinates, of which those that the arms measure count.

        Returns
        -------
        Array
            One number for each feature.
        """
        inside = np.sqrt(len(self)) / self._singular * coordinates[: self.dimension]
        turned = inside if self._unrelated else self._right.T @ inside
        return np.asarray(turned / self._scale, dtype=float)

    def _reduce(self) -> None:
        """Find the span and the coordinates in which ``mean(x x') = I``; units do not matter."""
        if self._unrelated:
            self._scale = np.ones(len(self))
            self._singular = np.ones(len(self))
            self._beyond = np.empty((len(self), 0))
            return
        count, width = self.features.shape
        norms = column_norms(self.features)
        self._scale = np.where(norms > 0, norms, 1.0)
        self._beyond = np.empty((width, 0))
        left = self.features
        if self.by_name:
            singular = np.ones(width)
            right = self.features
        elif is_tall(self.features):
            singular, right = singular_values(self.features, self._scale)
        else:
            left, singular, right = np.linalg.svd(self.features / self._scale, full_matrices=False)
        rank = int((singular > singular[0] * max(count, width) * np.finfo(float).eps).sum())
        if rank == 0:
            raise ValueError("all features are zero: no outcome could tell the arms apart")
        self._singular = singular[:rank]
        self._right = right[:rank]
        # Arms with equal features get equal coordinates, to the last bit.
        if is_tall(self.features) and not self.by_name:
            self.points = times(
                self.features, np.sqrt(count) / self._singular * self._right.T / self._scale[:, None]
            )
        else:
            self.points = np.ascontiguousarray(
                np.sqrt(count) * left[:, :rank][_first_of_equals(self.features)]
            )

    def _item_points(self) -> Array:
        """Item coordinates; what lies beyond the span of the arms goes into further ones."""
        scaled = self.item_features / self._scale
        inside = scaled @ self._right.T
        rest = scaled - inside @ self._right
        points = inside * (np.sqrt(len(self)) / self._singular)
        if np.abs(rest).max() > 1e-10 * np.abs(scaled).max():
            _, size, directions = np.linalg.svd(rest, full_matrices=False)
            self._beyond = directions[size > 1e-10 * size[0]].T
            unseen = rest @ self._beyond
            # Items that agree beyond the span agree there to the last bit.
            grain = 1e-10 * np.abs(unseen).max()
            points = np.hstack([points, np.round(unseen / grain) * grain])
        return np.ascontiguousarray(points[_first_of_equals(self.item_features)])


def _first_of_equals(rows: Array) -> Any:
    _, first, group = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return first[group.ravel()]


def _matrix(values: Any, what: str) -> Array:
    if isinstance(values, np.ndarray) and values.dtype in (np.float32, np.float64) and is_tall(values):
        matrix = np.asarray(values)
    else:
        matrix = _numbers(values, what)
    if matrix.ndim != 2:
        raise ValueError(f"{what} must be two-dimensional, one row for each arm; got shape {matrix.shape}")
    return matrix


def _numbers(values: Any, what: str) -> Array:
    try:
        return np.array(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{what} must be numbers, one row for each arm; for a table of words give a frame and a formula"
        ) from error


def _checked(matrix: Array, what: str) -> Array:
    if matrix.size == 0:
        raise ValueError(
            f"there must be at least one {what} with at least one feature; got shape {matrix.shape}"
        )
    for number, block in enumerate(blocks(matrix)):
        bad = np.flatnonzero(~np.isfinite(block).all(axis=1))
        if bad.size:
            row = number * BLOCK + bad[0]
            raise ValueError(
                f"features must be finite; row {row} of the {what}s holds {block[bad[0]].tolist()}"
            )
    return matrix


def _alone(names: Sequence[str] | str | None, items: Any) -> Sequence[str]:
    """Names that are all there is."""
    if names is None or isinstance(names, str):
        raise ValueError(
            "give features, or names alone for arms that share nothing: Arms(names=['a', 'b', 'c'])"
        )
    if items is not None:
        raise ValueError("items need features: arms given by names alone have none to share with them")
    listed = names if isinstance(names, Numbered) else list(names)
    if not len(listed):
        _checked(np.empty((0, 0)), "arm")
    return listed


def _names(names: Sequence[str] | str | None, count: int, what: str) -> Sequence[str]:
    if names is None:
        numbered = Numbered(what, count)
        return numbered if count > BLOCK else numbered[:]
    if isinstance(names, Numbered) and len(names) == count:
        return names
    if isinstance(names, str):
        raise ValueError(f"names={names!r} names a frame column; for an array give one name for each {what}")
    listed = tuple(str(name) for name in names)
    if len(listed) != count:
        raise ValueError(f"got {len(listed)} names for {count} {what}s")
    if len(set(listed)) != count:
        twice = Counter(listed).most_common(1)[0][0]
        raise ValueError(f"names must differ; {twice!r} occurs more than once")
    return listed


def _shown(names: Sequence[str], most: int = 5) -> str:
    more = f", and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
