#!/usr/bin/env python3
"""Screens of all sizes: the window fits, its contents stay inside, text suits the screen.

    viewer_sizes.py DROVER_SERVER DROVER_VIEWER
"""

import os
import subprocess

from drover_client import PATIENCE_S, Server
import viewer_support as support
from viewer_support import check, step, wait_until

VIEWER = support.viewer_program(__doc__)
BAR, BAR_LINE = (0x1B, 0x1F, 0x26), (0x2D, 0x34, 0x3F)
POP_EDGE = (0x3D, 0x46, 0x53)


def set_root(display, name, kind, value):
    """A property of the root window, as desktops have them. 8s: text, 32c: numbers."""
    subprocess.run(["xprop", "-root", "-f", name, kind, "-set", name, value], check=True, timeout=PATIENCE_S,
                   env={**os.environ, "DISPLAY": display.name}, stdin=subprocess.DEVNULL)


def fits(viewer, room, size=None):
    """The window lies in the room, left, top, right, bottom, and has its size."""
    def is_inside(area):
        left, top, right, bottom = area
        return left >= room[0] and top >= room[1] and right <= room[2] and bottom <= room[3]

    area = wait_until(viewer.area, is_inside, f"the window lies in {room}")
    if size is not None:
        check((area[2] - area[0], area[3] - area[1]) == size, f"{area} is not {size}")


def bar_height(picture):
    """At its left end, before its words."""
    height = 0
    for color in (BAR, BAR_LINE):
        while picture.pixel(4, height) == color:
            height += 1
    return height


def starts_on(screen, server, size, *arguments, settings=None, area=None, said=""):
    width, height = map(int, screen.split("x"))
    with support.Display(screen) as display:
        room = (0, 0, width, height)
        if area is not None:
            set_root(display, "_NET_WORKAREA", "32c", "%d, %d, %d, %d" % area)
            room = (area[0], area[1], area[0] + area[2], area[1] + area[3])
        with support.Viewer(VIEWER, display, server.port, *arguments, settings=settings) as viewer:
            fits(viewer, room, size)
            check((said in viewer.said()) if said else ("does not fit" not in viewer.said()), viewer.said())


def windows_fit(server):
    step("the window fits the screen, or what the desktop leaves of it")
    starts_on("1920x1080", server, (1280, 800))
    starts_on("1366x768", server, (1280, 768))
    starts_on("640x480", server, (640, 480))
    starts_on("1366x768", server, (1280, 700), area=(0, 30, 1366, 700))
    step("so do a size that was asked for, which is said, and one that was kept")
    starts_on("1366x768", server, (1366, 768), "--size", "1920x1080", said="1920x1080 does not fit")
    starts_on("640x480", server, (640, 480), settings='{"size":"1600x1200"}', said="1600x1200 does not fit")
    starts_on("640x480", server, (500, 400), "--size", "500x400")


def text_suits(server):
    step("text is as large as the desktop says, unless the settings have a size")
    with support.Display("1920x1200") as display:
        with support.Viewer(VIEWER, display, server.port, "--size", "1000x700") as viewer:
            viewer.picture(lambda p: bar_height(p) == 32, "the bar is 32 px high without a word from the desktop")
        set_root(display, "RESOURCE_MANAGER", "8s", "Xcursor.size:\t48\nXft.dpi:\t192\n")
        with support.Viewer(VIEWER, display, server.port) as viewer:
            fits(viewer, (0, 0, 1920, 1200), (1920, 1200))
            viewer.picture(lambda p: bar_height(p) == 64, "the bar is twice as high")
            viewer.key("ctrl+minus")
            viewer.picture(lambda p: bar_height(p) < 64, "Ctrl - makes it smaller")
            viewer.key("ctrl+0")
            viewer.picture(lambda p: bar_height(p) == 64, "Ctrl 0 is as it was")
        with support.Viewer(VIEWER, display, server.port, "--size", "1000x700", "--ui-scale", "1") as viewer:
            viewer.picture(lambda p: bar_height(p) == 32, "--ui-scale wins")
        with support.Viewer(VIEWER, display, server.port, "--size", "1000x700", settings='{"ui_scale":3}') as viewer:
            viewer.picture(lambda p: bar_height(p) == 96, "the kept size wins")


def text_suits_4k(server):
    step("4K: text and window are larger by themselves, in full screen twice as large")
    with support.Display("3840x2160") as display:
        with support.Viewer(VIEWER, display, server.port) as viewer:
            fits(viewer, (0, 0, 3840, 2160), (1920, 1200))
            viewer.picture(lambda p: 46 <= bar_height(p) <= 48, "the bar is 48 px high, whose line is between two rows", timeout=90)
        with support.Viewer(VIEWER, display, server.port, "--full-screen") as viewer:
            viewer.picture(lambda p: bar_height(p) == 64, "the bar is 64 px high", timeout=90)


def small_window(server):
    step("640x480: the page of keys has its keys, and the last of them by scrolling")
    with support.Display("640x480") as display, \
            support.Viewer(VIEWER, display, server.port, "--panel", "on") as viewer:
        viewer.key("F1")
        page = viewer.picture(lambda p: p.count(support.ACCENT, 180, 250, 160) > 300, "the column of keys is seen")
        outside = sum(page.pixel(x, y) == POP_EDGE for x in (0, 639) for y in range(60, 470, 10))
        check(outside == 0 and any(page.pixel(x, 250) == POP_EDGE for x in range(1, 200)), "the page has its left edge")
        for _ in range(45):
            viewer.key("Down")
        viewer.picture(lambda p: p.count(support.ACCENT, 180, 440, 30) != page.count(support.ACCENT, 180, 440, 30),
                       "other keys are shown at its end")
        viewer.key("F1")
        step("the picker lies over the side panel, inside the window")
        viewer.key("ctrl+o")
        viewer.picture(lambda p: p.count(support.ACCENT, 560, 94, 40) > 40, "the field to type in reaches to the right")
        viewer.key("Escape")
        step("the timeline and LIVE are inside, and so are the past's frame and words")
        viewer.picture(lambda p: p.count((0x3F, 0xB9, 0x50), 344, 461, 14) > 20, "LIVE is lit")
        viewer.key("Left")
        viewer.picture(lambda p: p.pixel(1, 200) == (0xE3, 0xB3, 0x41) and p.pixel(374, 200) == (0xE3, 0xB3, 0x41),
                       "the frame lies around the picture")


def main():
    with Server("flock") as server:
        windows_fit(server)
        text_suits(server)
        text_suits_4k(server)
        small_window(server)
    print("ok")


if __name__ == "__main__":
    main()
