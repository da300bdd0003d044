#!/usr/bin/env python3
"""The viewer in a Wayland session: weston in a window of an X server, whose mouse and keys xdotool moves. The shell for kiosks
gives the viewer all of the output: it is at 0, 0, and of another size than it asked for.

    viewer_wayland.py DROVER_SERVER DROVER_VIEWER
"""

import pathlib
import subprocess
import sys
import tempfile

from drover_client import Server, end_process, text_so_far, wait_for
import viewer_support as support
from viewer_support import check, step, wait_until

VIEWER = support.viewer_program(__doc__)
SIZE, ASKED = (1000, 700), "900x600"
SOCKET = "drover-test"
BAR = (0x1B, 0x1F, 0x26)
SELECTED = (0xFF, 0xFF, 0xFF)


class Weston:
    """The compositor, on a display of its own."""

    def __init__(self, display):
        self.display = display

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="drover-wayland-")
        self.log = open(pathlib.Path(self.folder.name) / "log", "w+b")
        self.environment = {"XDG_RUNTIME_DIR": self.folder.name, "WAYLAND_DISPLAY": SOCKET, "SDL_VIDEODRIVER": "wayland"}
        self.process = subprocess.Popen(
            ["weston", "--backend=x11-backend.so", "--use-pixman", "--shell=kiosk-shell.so", "--no-config", "--idle-time=0",
             "--width=%d" % SIZE[0], "--height=%d" % SIZE[1], f"--socket={SOCKET}"], stdin=subprocess.DEVNULL,
            stdout=self.log, stderr=self.log,
            env={**support.viewer_environment(self.display.name), "XDG_RUNTIME_DIR": self.folder.name})
        try:
            wait_for(self._is_there, "weston listens")
        except BaseException:
            self.__exit__(*sys.exc_info())
            raise
        return self

    def __exit__(self, error_type, *_):
        if error_type is not None:
            print(f"--- weston said:\n{text_so_far(self.log)}---", file=sys.stderr)
        self.end()
        self.log.close()
        self.folder.cleanup()

    def _is_there(self):
        if self.process.poll() is not None:
            raise AssertionError(f"weston ended with {self.process.returncode}")
        return (pathlib.Path(self.folder.name) / SOCKET).exists()

    def end(self):
        end_process(self.process)


class Viewer(support.Viewer):
    """In weston's window, the one that there is: it has no name that xdotool finds."""

    title = ".*"

    def __init__(self, weston, port, *arguments):
        super().__init__(VIEWER, weston.display, port, "--size", ASKED, *arguments, environment=weston.environment)


def is_shown(display):
    """Whether the viewer's bar is on the screen. A window without a picture gets no keys: F12 would be lost."""
    return display.screen().pixel(300, 4) == BAR


def is_drawn(display, viewer):
    step("it draws, in the size that the compositor gives it, on the screen what it saves with F12")
    wait_for(lambda: is_shown(display), "it is on the screen")
    picture = viewer.picture(lambda p: (p.width, p.height) == SIZE and p.tick is not None, "a picture of this size")
    places = [(300, 4), (990, 650), (20, 600)]
    check(picture.pixel(*places[0]) == BAR, f"the bar is {picture.pixel(*places[0])}")
    wait_for(lambda: [display.screen().pixel(*at) for at in places] == [picture.pixel(*at) for at in places],
             "the screen shows it")


def acts(viewer, client, camera):
    step("clicks, keys and the wheel come")
    before = client.request("ping")["tick"]
    for _ in range(3):
        viewer.move(55, SIZE[1] - 19)
        viewer.click()
    wait_until(lambda: client.request("ping")["tick"], lambda tick: tick == before + 3, "the button steps the world")
    agent = client.snapshot()["agents"][0]
    at = [int(v) for v in camera.to_window(agent["x"], agent["y"])]
    viewer.move(*at)
    viewer.click()
    viewer.picture(lambda p: p.count(SELECTED, *at, 24) > 30, "a click on the agent selects it")


def copies(viewer):
    step("the button that copies equations to the clipboard; what the compositor makes of it is its own")
    viewer.move(868, 400)
    viewer._xdotool("click", "--repeat", "40", "--delay", "20", "5")
    viewer.move(770, 237)
    viewer.picture(lambda p: p.count(support.ACCENT, 763, 261, 8) > 10, "Copy is above the overlays")
    viewer.click()
    viewer.move(300, 620)
    viewer.picture(lambda p: p.count(support.ACCENT, 763, 261, 8) > 10, "the viewer goes on")


def main():
    with support.Display("1100x800") as display, Server("--paused", "seek") as server, server.connect() as client:
        with Weston(display) as weston:
            with Viewer(weston, server.port) as viewer:
                camera = support.Camera(client.hello["scenario"]["size"], SIZE, panel=True)
                is_drawn(display, viewer)
                acts(viewer, client, camera)
                copies(viewer)
                viewer.key("F11")
                viewer.key("F11")
                viewer.key("ctrl+q")
                check(viewer.ends() == 0, f"it ends with 0: {viewer.said()}")
            wait_for(lambda: not is_shown(display), "its window is gone")
            step("a compositor that ends is the end of the viewer as well, whose world moves on")
            client.request("resume")
            with Viewer(weston, server.port) as viewer:
                wait_for(lambda: is_shown(display), "it is on the screen")
                viewer.picture(lambda p: p.tick is not None, "the world")
                weston.end()
                check(viewer.ends() == 0, f"it ends with 0: {viewer.said()}")
    print("ok")


if __name__ == "__main__":
    main()
