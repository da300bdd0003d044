"""Pictures of where agents are, for render_mode "rgb_array": with numpy alone, without a display."""

from __future__ import annotations

from typing import Any

from .columns import numpy_module

LONGER_SIDE = 600  # pixels
BACKGROUND = (250, 250, 247)
COLORS = ((31, 119, 180), (214, 39, 40), (44, 160, 44), (148, 103, 189), (255, 127, 14), (23, 190, 207), (140, 86, 75), (227, 119, 194))


def picture_of(moment: Any) -> Any:
    """Height x width x 3, uint8: a disc as large as its body for each agent, in a color for each kind of the scenario, in its order.
    Agents outside of the world's box are not in it; solids and targets are not drawn."""
    numpy = numpy_module()
    width, height = moment.scenario["size"]
    scale = LONGER_SIDE / max(width, height)
    picture = numpy.empty((max(1, round(height * scale)), max(1, round(width * scale)), 3), dtype="u1")
    picture[:] = BACKGROUND
    px = moment.frame.px
    x, y = (numpy.floor(numpy.asarray(column, dtype="f8") * scale).astype("i4") for column in (px.x, px.y))
    for number, kind in enumerate(moment.scenario["kinds"]):
        rows = numpy.array(moment.of_kind(kind["name"]), dtype="i4")
        reach = max(1, round(kind["radius"] * scale))
        down, across = (offsets.ravel() for offsets in numpy.mgrid[-reach:reach + 1, -reach:reach + 1])
        inside = down ** 2 + across ** 2 <= reach ** 2
        at_y, at_x = (y[rows, None] + down[inside]).ravel(), (x[rows, None] + across[inside]).ravel()
        seen = (at_y >= 0) & (at_y < picture.shape[0]) & (at_x >= 0) & (at_x < picture.shape[1])
        picture[at_y[seen], at_x[seen]] = COLORS[number % len(COLORS)]
    return picture
