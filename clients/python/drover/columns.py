"""Columns of numbers: base64 on the wire, buffers in Python. numpy is used where it is installed, and never required.

A column that came from the server is read-only and refers to the decoded bytes without another copy: a numpy array, or a
memoryview without numpy, which has len(), indexes, slices and iteration as well.
"""

from __future__ import annotations

import array
import binascii
import sys
from operator import add
from typing import Any, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from .errors import nonsense

SIZES = {"B": 1, "H": 2, "h": 2, "I": 4, "i": 4, "f": 4}
NUMPY_TYPES = {"B": "u1", "H": "<u2", "h": "<i2", "I": "<u4", "i": "<i4", "f": "<f4"}
PLAIN = (str, int, float, bool, type(None))
DOCUMENTS = ("document", "patch")  # members of requests that are scenarios

Column = Any  # numpy.ndarray, or memoryview
_numpy: Any = None
_numpy_was_tried = False


def numpy_module() -> Any:
    """numpy, or None where it is not installed. It is imported when the first column is read."""
    global _numpy, _numpy_was_tried
    if not _numpy_was_tried:
        _numpy_was_tried = True
        try:
            import numpy
            _numpy = numpy
        except ImportError:
            _numpy = None
    return _numpy


SIGNS = bytes(128) + bytes([255] * 128)  # the upper half of a number of 16 bits, by its higher byte


def _lanes_plus(base: memoryview, difference: memoryview, count: int) -> bytes:
    """The bytes of base (i32) + difference (i16), all entries at once: as one long number each, of which no entry carries into the next.
    That is four times as fast as a loop."""
    wide = bytearray(4 * count)
    wide[0::4] = difference[0::2]
    upper = bytes(difference[1::2])
    wide[1::4] = upper
    wide[2::4] = wide[3::4] = upper.translate(SIGNS)
    a, b = int.from_bytes(base, "little"), int.from_bytes(wide, "little")
    low = int.from_bytes(b"\xff\xff\xff\x7f" * count, "little")
    return (((a & low) + (b & low)) ^ ((a ^ b) & ~low)).to_bytes(4 * count, "little")


class Plain:
    """Columns without numpy."""

    @staticmethod
    def column(data: bytes, code: str) -> memoryview:
        if sys.byteorder == "little":
            return memoryview(data).cast(code)
        swapped = array.array(code, data)
        swapped.byteswap()
        return memoryview(swapped).toreadonly()

    @staticmethod
    def plus(base: memoryview, difference: Optional[memoryview], far: Optional[memoryview], turn: bool) -> memoryview:
        """base + difference, then the pairs of far (index, value) in their places; modulo a turn for headings."""
        if difference is None:
            sum_ = array.array("i", base)
        elif turn:
            sum_ = array.array("i", [(a + b) % 36000 for a, b in zip(base.tolist(), difference.tolist())])
        elif sys.byteorder == "little":
            sum_ = array.array("i", _lanes_plus(base.cast("B"), difference.cast("B"), len(base)))
        else:
            sum_ = array.array("i", map(add, base, difference))
        if far is not None:
            for index, value in zip(far[::2], far[1::2]):
                sum_[index] = value
        return memoryview(sum_).toreadonly()

    @staticmethod
    def pairs(column: memoryview) -> List[Tuple[int, int]]:
        return list(zip(column[::2], column[1::2]))

    @staticmethod
    def scaled(column: memoryview, scale: float) -> memoryview:
        return memoryview(array.array("d", [value / scale for value in column])).toreadonly()

    @staticmethod
    def equal(column: memoryview, wanted: int) -> memoryview:
        return memoryview(bytes(value == wanted for value in column)).cast("?")


class Numpy:
    """Columns in numpy."""

    def __init__(self, numpy: Any) -> None:
        self.numpy = numpy

    def column(self, data: bytes, code: str) -> Column:
        return self.numpy.frombuffer(data, NUMPY_TYPES[code])

    def plus(self, base: Column, difference: Optional[Column], far: Optional[Column], turn: bool) -> Column:
        sum_ = base.astype("<i4")
        if difference is not None:
            sum_ += difference
        if turn:
            sum_ %= 36000
        if far is not None:
            sum_[far[::2]] = far[1::2]
        sum_.flags.writeable = False
        return sum_

    @staticmethod
    def pairs(column: Column) -> Column:
        return column.reshape(-1, 2)

    @staticmethod
    def scaled(column: Column, scale: float) -> Column:
        return column / scale

    @staticmethod
    def equal(column: Column, wanted: int) -> Column:
        return column == wanted


Backend = Union[Plain, Numpy]


def backend(numpy: Optional[bool] = None) -> Backend:
    """Columns with numpy (True), without (False), or with it where it is installed (None)."""
    module = None if numpy is False else numpy_module()
    if numpy and module is None:
        raise ImportError("numpy=True, but numpy is not installed")
    return Plain() if module is None else Numpy(module)


def decoded(text: Any, code: str, count: Optional[int] = None) -> bytes:
    """The bytes of a column in base64, refused unless they are count whole entries (None: any number)."""
    if not isinstance(text, str):
        raise nonsense("a column is no text")
    try:
        data = binascii.a2b_base64(text)
    except (ValueError, binascii.Error) as error:
        raise nonsense(f"a column is not base64 ({error})") from None
    size = SIZES[code]
    if len(data) % size or (count is not None and len(data) != count * size):
        raise nonsense(f"a column has {len(data)} bytes, {count} entries of {size} were expected")
    return data


class Names:
    """A column of names, kept as it came: `index` (numbers) into `names`. Compare it with a name to get a mask:
    `frame.x[frame.kind == "prey"]` in numpy."""

    __slots__ = ("index", "names", "_columns")

    def __init__(self, index: Column, names: Sequence[str], columns: Backend) -> None:
        self.index = index
        self.names = tuple(names)
        self._columns = columns

    def __len__(self) -> int:
        return len(self.index)

    def __getitem__(self, at: int) -> str:
        return self.names[int(self.index[at])]

    def __iter__(self) -> Iterator[str]:
        names = self.names
        return (names[i] for i in self.index.tolist())

    def __eq__(self, name: object) -> Any:
        if isinstance(name, Names):
            return list(self) == list(name)
        wanted = self.names.index(name) if name in self.names else -1
        return self._columns.equal(self.index, wanted)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Names {len(self)} of {', '.join(self.names)}>"


# --- on the way to the server


def _from_buffer(name: str, value: Any) -> Any:
    """Base64 of a numpy array, an array.array or a memoryview: ids as u32, all else as f32, little-endian."""
    view = memoryview(value)
    wanted = "I" if name == "agents" else "f"
    if view.format.lstrip("<=@") == wanted and view.itemsize == 4 and view.c_contiguous and sys.byteorder == "little":
        data: Any = view
    elif hasattr(value, "astype"):
        data = value.astype(NUMPY_TYPES[wanted]).tobytes()
    else:
        numbers: Any = view.tolist()
        if view.ndim > 1:
            numbers = [number for row in numbers for number in row]
        converted = array.array(wanted, [int(number) for number in numbers] if wanted == "I" else numbers)
        if sys.byteorder != "little":
            converted.byteswap()
        data = converted
    return binascii.b2a_base64(data, newline=False).decode("ascii")


def _as_it_is(name: str, value: Any) -> Any:
    """A value of a scenario: None is null, and every name stays."""
    if isinstance(value, Mapping):
        return {key: _as_it_is(name, item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_as_it_is(name, item) for item in value]
    return wire_value(name, value)


def wire_value(name: str, value: Any) -> Any:
    """A value as JSON has it: buffers as base64, numpy's numbers as Python's, sequences as lists."""
    if isinstance(value, PLAIN):
        return value
    if isinstance(value, Mapping):
        return _as_it_is(name, value) if name in DOCUMENTS else wire_fields(value)
    if isinstance(value, (list, tuple)):
        if all(type(item) in (int, float, str) for item in value):
            return value
        return [wire_value(name, item) for item in value]
    if isinstance(value, (bytes, bytearray)):
        raise TypeError(f"{name}: bytes have no form in JSON; give an array of numbers")
    if getattr(value, "ndim", 1) == 0 and hasattr(value, "item"):
        return value.item()
    try:
        memoryview(value)
    except TypeError:
        return [wire_value(name, item) for item in value]
    return _from_buffer(name, value)


def wire_fields(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """The members of a request: None is left out, and `return_` stands for `return`."""
    return {(name[:-1] if name.endswith("_") else name): wire_value(name, value) for name, value in fields.items() if value is not None}
