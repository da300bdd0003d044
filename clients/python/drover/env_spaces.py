"""Spaces of drover.env: gymnasium's where it is installed, otherwise small ones of the same shape."""

from __future__ import annotations

import importlib
import math
import random
from typing import Any, List, Optional, Tuple

from .columns import numpy_module


class Box:
    """Numbers from low to high in an array of a shape. Without numpy a sample is a list, of lists."""

    def __init__(self, low: float, high: float, shape: Tuple[int, ...], numpy: Any = None) -> None:
        self.low = low
        self.high = high
        self.shape = tuple(shape)
        self.dtype = "float32"
        self._numpy = numpy
        self._random = random.Random()

    def __repr__(self) -> str:
        return f"Box({self.low}, {self.high}, {self.shape}, {self.dtype})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Box) and (self.low, self.high, self.shape) == (other.low, other.high, other.shape)

    __hash__ = None  # type: ignore[assignment]

    def seed(self, seed: Optional[int] = None) -> None:
        self._random.seed(seed)

    def _number(self) -> float:
        if math.isinf(self.high) or math.isinf(self.low):
            return self._random.gauss(0.0, 1.0)
        return self._random.uniform(self.low, self.high)

    def sample(self) -> Any:
        """Uniform; where there is no bound, normal."""
        made = self._nested(self.shape)
        return made if self._numpy is None else self._numpy.asarray(made, dtype=self.dtype)

    def _nested(self, shape: Tuple[int, ...]) -> Any:
        return [self._nested(shape[1:]) for _ in range(shape[0])] if shape else self._number()

    def contains(self, value: Any) -> bool:
        if shape_of(value) != self.shape:
            return False
        return all(self.low <= number <= self.high for number in _numbers(value))

    __contains__ = contains


class Anything:
    """Observations that are no array of numbers."""

    shape = None
    dtype = None

    def contains(self, _: Any) -> bool:
        return True

    __contains__ = contains


def _numbers(value: Any) -> List[float]:
    if hasattr(value, "ravel"):
        return [float(number) for number in value.ravel()]
    if hasattr(value, "__len__"):
        return [number for row in value for number in _numbers(row)]
    return [float(value)]


def shape_of(value: Any) -> Optional[Tuple[int, ...]]:
    """The shape of an array or of nested lists of numbers; None for anything else."""
    if hasattr(value, "shape"):
        return tuple(value.shape)
    if isinstance(value, (int, float)):
        return ()
    if isinstance(value, (str, bytes, dict)) or not hasattr(value, "__len__"):
        return None
    shapes = {shape_of(row) for row in value}
    if len(shapes) > 1 or None in shapes:
        return None
    inner = shapes.pop() if shapes else ()
    assert inner is not None
    return (len(value), *inner)


def box(low: float, high: float, shape: Tuple[int, ...], numpy: Optional[bool] = None) -> Any:
    module = None if numpy is False else numpy_module()
    if module is not None:
        try:
            return importlib.import_module("gymnasium.spaces").Box(low, high, shape, module.float32)
        except ImportError:
            pass
    return Box(low, high, shape, module)


def space_like(value: Any, numpy: Optional[bool] = None) -> Any:
    """The space of an observation such as this one: any numbers in an array of its shape."""
    shape = shape_of(value)
    return Anything() if shape is None else box(-math.inf, math.inf, shape, numpy)
