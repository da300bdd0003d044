"""The figures of docs/validation.md, from its CSVs."""

import math

from svg import Plot

FITTED = "0.8"  # s; the time_gap that was fitted, TIME_GAP of crowds.c
# RiMEA 4.1.1, test 16: density, 10th and 90th percentile of the speeds, at the densities of ring (its file has them 0.0011 lower).
BAND = [(0.5, 0.708, 1.389), (0.7, 0.598, 1.305), (0.9, 0.448, 1.101), (1.1, 0.316, 0.840), (1.3, 0.187, 0.608), (1.5, 0.112, 0.485),
        (1.7, 0.071, 0.382), (1.9, 0.048, 0.314), (2.1, 0.035, 0.270)]

# Speeds on stairs at so many persons per square meter, lowest and highest: slow and fast walkers, give or take a deviation (after Corbetta, as in
# scripts/scenario_builders/rimea13_stairs.py of jupedsim-web-community).
STAIRS = {"up": lambda d: (0.48 + 0.01 * d - max(0.10 - 0.02 * d, 0), 0.18 * d * d - 0.55 * d + 1.02 + max(0.35 - 0.14 * d, 0)),
          "down": lambda d: (0.67 - 0.08 * d - max(0.14 - 0.06 * d, 0), 0.33 * d * d - 1.02 * d + 1.39 + max(0.29 - 0.11 * d, 0))}


def weidmann(density):
    """m/s at so many persons per square meter: Weidmann 1993."""
    return 1.34 * (1 - math.exp(-1.913 * (1 / density - 1 / 5.4)))


def single_file(density):
    """m/s at so many persons per meter: Seyfried 2005, up to the free speed."""
    return min(1.34, max(0.0, (1 / density - 0.36) / 1.06))


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def points(rows, x, y, **wanted):
    """(x, y) of the rows with these values."""
    return [(float(row[x]), float(row[y])) for row in rows if all(row[key] == value for key, value in wanted.items())]


def means(found):
    """The mean of y at each x."""
    return [(x, mean(y for at, y in found if at == x)) for x in sorted({x for x, _ in found})]


def diagram(rows):
    plot = Plot("Speed and density, one way", "persons per m²", "speed, m/s", (0, 4.5, 0.5), (0, 1.6, 0.2))
    plot.line([(d / 20, weidmann(d / 20)) for d in range(8, 91)], 1, "Weidmann 1993")
    found = points(rows, "density", "speed", model="walk", time_gap_s=FITTED)
    plot.line(means(found), 0)
    plot.dots(found, 0, "walk, 3 seeds")
    plot.line(means(points(rows, "density", "speed", model="orca")), 2, "orca", dashed=True)
    return plot.text((0.66, 0.09))


def ring(rows):
    plot = Plot("Single file", "persons per m", "speed, m/s", (0.4, 2.2, 0.2), (0, 1.6, 0.2))
    plot.band(BAND, 1, "RiMEA test 16, 10 to 90 %")
    plot.line([(d / 50, single_file(d / 50)) for d in range(22, 110)], 1, "Seyfried 2005", dashed=True)
    for color, gap in ((0, FITTED), (2, "0.7"), (3, "1")):
        found = points(rows, "density", "speed", time_gap_s=gap)
        plot.line(means(found), color)
        plot.dots(found, color, f"walk, time_gap {gap} s")
    return plot.text((0.56, 0.07))


def doors(rows):
    plot = Plot("What passes a door", "width, m", "persons a second", (0.6, 2.6, 0.2), (0, 8, 1))
    plot.line([(0.9, 1.71), (2.5, 4.75)], 1, "1.9 /(m s): Seyfried 2009")
    plot.line([(0.6, 0.798), (2.6, 3.458)], 1, "1.33 /(m s): handbooks", dashed=True)
    for color, (model, gap) in enumerate((("walk", FITTED), ("walk", "0.7"), ("queue", "0"))):
        found = points(rows, "width", "flow", model=model, time_gap_s=gap)
        color += color > 0
        plot.line(means(found), color)
        plot.dots(found, color, f"{model}, time_gap {gap} s" if model == "walk" else model)
    return plot.text((0.03, 0.06))


def lanes(rows):
    plot = Plot("Both ways through a corridor", "persons per m², both ways together", "speed, m/s; order of lanes, 0 to 1", (0, 3.5, 0.5), (0, 1.4, 0.2))
    for color, model in ((0, "walk"), (2, "orca")):
        plot.line(means(points(rows, "density", "order", model=model)), color, f"{model}: order", dashed=True)
        found = points(rows, "density", "speed", model=model)
        plot.line(means(found), color, f"{model}: speed")
        plot.dots(found, color)
    return plot.text((0.72, 0.06))


def by_direction(rows, **wanted):
    """The mean correlation by the angle to one stream, counterclockwise; the CSV's y points down."""
    return sorted(((180 - angle) % 180, value) for angle, value in means(points(rows, "angle", "correlation", **wanted)))


def crossing(rows):
    plot = Plot("Crossing streams", "direction of the line between two, degrees from one stream's way", "correlation of their streams", (0, 180, 15), (-0.3, 0.6, 0.1))
    plot.line([(45, -0.3), (45, 0.6)], 1, "stripes of people: Mullick 2022", dashed=True)
    for color, density in ((0, "0.5"), (2, "1"), (3, "1.5")):
        plot.line(by_direction(rows, density=density), color, f"walk, {density} persons per m²")
    return plot.text((0.55, 0.08))


def zipper(rows):
    plot = Plot("Where people walk in a neck", "m from its axis", "persons of 150 in 0.05 m", (-0.7, 0.7, 0.1), (0, 70, 10))
    for color, width in ((2, "0.8"), (0, "1"), (3, "1.2")):
        plot.line(means(points(rows, "offset", "people", width=width)), color, f"walk, {width} m wide")
    return plot.text((0.4, 0.08))


def stairs(rows):
    plot = Plot("Stairs, down and up", "persons per m²", "speed, m/s", (0, 3.5, 0.5), (0, 1, 0.2))
    for color, way in ((1, "up"), (0, "down")):
        plot.band([(d / 20, *STAIRS[way](d / 20)) for d in range(12, 31)], color, f"{way}: Corbetta, as JuPedSim has it")
        found = points(rows, "density", "speed", way=way)
        plot.line(means(found), color)
        plot.dots(found, color, f"walk, {way}")
    return plot.text((0.55, 0.06))


def vicsek(rows):
    plot = Plot("Order and noise", "weight of the noise", "polarization", (0, 2.5, 0.5), (0, 1, 0.2))
    found = points(rows, "noise", "polarization")
    plot.line(means(found), 0)
    plot.dots(found, 0, "400 particles, 3 seeds")
    return plot.text((0.62, 0.08))


def correlation(rows):
    plot = Plot("How far fluctuations of velocity reach", "extent of the flock L, px", "correlation length ξ, px", (0, 500, 100), (0, 200, 50))
    plot.line([(0, 0), (500, 175)], 1, "ξ = 0.35 L: Cavagna 2010")
    plot.dots(points(rows, "extent_px", "correlation_px"), 0, "60, 120, 240 and 480 birds")
    return plot.text((0.05, 0.08))


def school(rows):
    plot = Plot("Swarm, torus, parallel group", "radius of orientation, px", "polarization; rotation", (0, 40, 10), (0, 1, 0.2))
    plot.dots(points(rows, "orientation_px", "polarization"), 0, "polarization")
    plot.dots(points(rows, "orientation_px", "milling"), 1, "rotation")
    return plot.text((0.03, 0.22))


def all_of(data):
    """{name: the text of its SVG}."""
    made = {"diagram": diagram, "ring": ring, "doors": doors, "lanes": lanes, "zipper": zipper, "crossing": crossing, "rimea_13": stairs,
            "vicsek": vicsek, "correlation": correlation, "school": school}
    return {name: make(data[name]) for name, make in made.items() if name in data}
