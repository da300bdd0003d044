"""What the viewer's end-to-end tests share: an X server of their own, the viewer as a process, pictures as pixels.

Standard library and the packaged programs Xvfb and xdotool. Everything is bounded in time and stopped by its process id.
"""

import functools
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import zlib

from drover_client import PATIENCE_S, ROOT, wait_for

# viewer/draw/palette.h
STATE_COLORS = {"seek": (0x56, 0xB4, 0xE9), "arrive": (0x3F, 0xD0, 0xB4), "flee": (0xF2, 0x9A, 0x2E),
                "wander": (0x9A, 0xA0, 0xA6), "pursue": (0xF0, 0xE4, 0x42), "evade": (0xE8, 0x64, 0x1A),
                "follow": (0x9E, 0xCB, 0xFF), "drift": (0x8F, 0xD8, 0xB4), "hide": (0xD7, 0xA8, 0x6E)}
TARGET, VELOCITY, DESIRED = (0xFF, 0x6B, 0x6B), (0x7E, 0xE7, 0x87), (0x79, 0xB8, 0xFF)
ACCENT = (0x58, 0xA6, 0xFF)
SIDE_PX, BAR_PX = 16, 32  # what the world leaves free in the window
PANEL = (264, 38)  # what the side panel and the timeline take, when they are shown
TOAST_S = 4.5  # a toast is gone after this; F12 shows one of its own
LEGEND = (180, 150)  # where the legend may cover the world, from the top left


class Picture:
    """A PNG file, 8 bits a channel, RGB or RGBA, not interlaced."""

    def __init__(self, path):
        data = pathlib.Path(path).read_bytes()
        if data[:8] != b"\x89PNG\r\n\x1a\n" or data[-8:-4] != b"IEND":
            raise ValueError(f"{path} is no complete PNG ({len(data)} bytes)")
        self.tick = self._tick(path)
        at, packed = 8, b""
        while at < len(data):
            length, kind = int.from_bytes(data[at:at + 4], "big"), data[at + 4:at + 8]
            body = data[at + 8:at + 8 + length]
            if kind == b"IHDR":
                self.width, self.height = int.from_bytes(body[:4], "big"), int.from_bytes(body[4:8], "big")
                if body[8] != 8 or body[9] not in (2, 6) or body[12] != 0:
                    raise ValueError(f"{path}: a kind of PNG this does not read")
                self.channels = 3 if body[9] == 2 else 4
            elif kind == b"IDAT":
                packed += body
            at += length + 12
        self._packed = packed

    @functools.cached_property
    def rows(self):
        """Only for a test that looks at it: it takes half a second."""
        return self._unfilter(zlib.decompress(self._packed))

    @staticmethod
    def _tick(path):
        """Of the picture, which F12 puts in the name: drover-seek-120.png."""
        number = pathlib.Path(path).stem.rpartition("-")[2]
        return int(number) if number.isdigit() else None

    def _unfilter(self, data):
        stride, step = self.width * self.channels, self.channels
        rows, above = [], bytearray(stride)
        for y in range(self.height):
            begin = y * (stride + 1)
            kind, row = data[begin], bytearray(data[begin + 1:begin + 1 + stride])
            if kind == 2:
                row = bytearray((a + b) & 255 for a, b in zip(row, above))
            elif kind != 0:
                for i in range(stride):
                    left = row[i - step] if i >= step else 0
                    corner = above[i - step] if i >= step else 0
                    if kind == 1:
                        row[i] = (row[i] + left) & 255
                    elif kind == 3:
                        row[i] = (row[i] + (left + above[i]) // 2) & 255
                    else:
                        p = left + above[i] - corner
                        distances = (abs(p - left), abs(p - above[i]), abs(p - corner))
                        row[i] = (row[i] + (left, above[i], corner)[distances.index(min(distances))]) & 255
            rows.append(row)
            above = row
        return rows

    def pixel(self, x, y):
        at = int(x) * self.channels
        return tuple(self.rows[int(y)][at:at + 3])

    def count(self, color, x=0, y=0, reach=None):
        """Pixels of exactly this colour; within reach of x, y when it is given."""
        if reach is None:
            box = (0, 0, self.width, self.height)
        else:
            box = (max(0, int(x - reach)), max(0, int(y - reach)), min(self.width, int(x + reach)),
                   min(self.height, int(y + reach)))
        wanted = bytes(color)
        return sum(1 for row in range(box[1], box[3]) for column in range(box[0], box[2])
                   if self.rows[row][column * self.channels:column * self.channels + 3] == wanted)


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def wait_until(ask, is_right, what):
    """Asks until the answer is right; returns it."""
    deadline = time.monotonic() + PATIENCE_S
    while not is_right(answer := ask()):
        check(time.monotonic() < deadline, f"not within {PATIENCE_S} s: {what}; last: {answer}")
        time.sleep(0.05)
    return answer


def step(what):
    print(f"- {what}", flush=True)


def difference(a, b, step=24):
    """The share of pixels that differ by more than `step` in some channel."""
    if (a.width, a.height, a.channels) != (b.width, b.height, b.channels):
        return 1.0
    wrong = 0
    for mine, other in zip(a.rows, b.rows):
        if mine != other:
            for x in range(0, len(mine), a.channels):
                wrong += any(abs(p - q) > step for p, q in zip(mine[x:x + 3], other[x:x + 3]))
    return wrong / (a.width * a.height)


class Camera:
    """Where the world must be in a window of this size: as large as fits, in the middle, 16 px and the bar left free."""

    def __init__(self, world, window, panel=False):
        side, below = PANEL if panel else (0, 0)
        room = (window[0] - 2 * SIDE_PX - side, window[1] - 2 * SIDE_PX - BAR_PX - below)
        self.scale = min(room[0] / world[0], room[1] / world[1])
        self.x = SIDE_PX + (room[0] - world[0] * self.scale) / 2
        self.y = SIDE_PX + BAR_PX + (room[1] - world[1] * self.scale) / 2

    def to_window(self, x, y):
        return x * self.scale + self.x, y * self.scale + self.y

    def to_world(self, x, y):
        return (x - self.x) / self.scale, (y - self.y) / self.scale


def viewer_environment(display=None):
    environment = {key: value for key, value in os.environ.items()
                   if key not in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER", "XDG_SESSION_TYPE")}
    if display is not None:
        environment["DISPLAY"] = display
        environment["SDL_VIDEODRIVER"] = "x11"
    environment["XDG_CONFIG_HOME"] = str(pathlib.Path(tempfile.gettempdir()) / "drover-no-settings")
    environment["LSAN_OPTIONS"] = f"suppressions={ROOT / 'tests/lsan.supp'}:print_suppressions=0"
    environment["TSAN_OPTIONS"] = f"{os.environ.get('TSAN_OPTIONS', '')}:suppressions={ROOT / 'tests/tsan.supp'}"
    if display is not None:
        # X and GL libraries leak, and SDL has unloaded them when leaks are counted: they have no name to suppress them
        # by. Our own leaks are found without a display, where no such library is loaded.
        environment["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    return environment


class Display:
    """An X server on a free display. -noreset: it must not start over, and refuse clients meanwhile, whenever the last
    client (one xdotool) has gone."""

    def __init__(self, size="1280x800"):
        self.size = size

    def __enter__(self):
        reader, writer = os.pipe()
        self.log = tempfile.TemporaryFile()
        self.place = tempfile.TemporaryDirectory(prefix="drover-display-")
        self.folder = self.place.name
        self.process = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writer), "-screen", "0", f"{self.size}x24", "-nolisten", "tcp", "-noreset",
             "-fbdir", self.folder],
            pass_fds=[writer], stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        os.close(writer)
        number = b""
        os.set_blocking(reader, False)

        def has_number():
            nonlocal number
            if self.process.poll() is not None:
                raise AssertionError(f"Xvfb ended with {self.process.returncode}")
            try:
                number += os.read(reader, 64)
            except BlockingIOError:
                pass
            return number.endswith(b"\n")

        try:
            wait_for(has_number, "Xvfb names its display")
        except BaseException:
            self.__exit__()
            raise
        finally:
            os.close(reader)
        self.name = ":" + number.decode().strip()
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self.process.wait()
        self.log.close()
        self.place.cleanup()


    def screen(self):
        return Screen(pathlib.Path(self.folder) / "Xvfb_screen0")


class Screen:
    """What a person sees: the display's memory, which Xvfb keeps as an XWD file, 32 bits a pixel."""

    def __init__(self, path):
        data = path.read_bytes()
        head = [int.from_bytes(data[4 * i:4 * i + 4], "big") for i in range(25)]
        if head[11] != 32 or head[7] != 0:
            raise ValueError(f"{path}: not 32 bits, lowest byte first")
        self.width, self.height, self.stride = head[4], head[5], head[12]
        self.pixels = data[head[0] + 12 * head[19]:]

    def pixel(self, x, y):
        at = int(y) * self.stride + int(x) * 4
        return self.pixels[at + 2], self.pixels[at + 1], self.pixels[at]


class Viewer:
    """The viewer with a window on a display, run in a folder of its own (where F12 saves). settings: the text of
    viewer.json that it finds there."""

    def __init__(self, binary, display, port, *arguments, settings=None):
        self.display = display
        self.folder = tempfile.TemporaryDirectory(prefix="drover-viewer-")
        self.log = open(pathlib.Path(self.folder.name) / "log", "w+b")
        if settings is not None:
            (pathlib.Path(self.folder.name) / "drover").mkdir()
            (pathlib.Path(self.folder.name) / "drover" / "viewer.json").write_text(settings)
        self.process = subprocess.Popen([binary, f"127.0.0.1:{port}", "--log", "info", *arguments],
                                        cwd=self.folder.name,
                                        env={**viewer_environment(display.name), "XDG_CONFIG_HOME": self.folder.name},
                                        stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        try:
            wait_for(self._finds_window, "the viewer's window appears")
        except BaseException:
            self.__exit__(*sys.exc_info())
            raise

    def __enter__(self):
        return self

    def __exit__(self, error_type, *_):
        if error_type is not None:
            print(f"--- the viewer said:\n{self.said()}---", file=sys.stderr)
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self.process.wait()
        self.log.close()
        self.folder.cleanup()

    def said(self):
        self.log.seek(0)
        return self.log.read().decode("utf-8", "replace")

    def _finds_window(self):
        if self.process.poll() is not None:
            raise AssertionError(f"the viewer ended with {self.process.returncode}")
        found = self._xdotool("search", "--onlyvisible", "--name", "^Drover", check=False)
        self.window = found.split()[-1] if found.split() else None
        return self.window is not None

    def _xdotool(self, *arguments, check=True):
        done = subprocess.run(["xdotool", *arguments], env={**os.environ, "DISPLAY": self.display.name},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE_S)
        if check and done.returncode != 0:
            raise AssertionError(f"xdotool {' '.join(arguments)}: {done.stderr}")
        return done.stdout

    def move(self, x, y):
        self._xdotool("mousemove", "--window", self.window, str(x), str(y))

    def click(self, button=1):
        self._xdotool("click", str(button))

    def press(self):
        self._xdotool("mousedown", "1")

    def release(self):
        self._xdotool("mouseup", "1")

    def type(self, text):
        self._xdotool("type", "--delay", "30", text)

    def key(self, name):
        self._xdotool("key", name)

    def place(self):
        """Where on the screen the window is: x, y."""
        lines = dict(line.split("=") for line in self._xdotool("getwindowgeometry", "--shell", self.window).split())
        return int(lines["X"]), int(lines["Y"])

    def area(self):
        """Where on the screen the window is and how large: left, top, right, bottom."""
        lines = dict(line.split("=") for line in self._xdotool("getwindowgeometry", "--shell", self.window).split())
        x, y = int(lines["X"]), int(lines["Y"])
        return x, y, x + int(lines["WIDTH"]), y + int(lines["HEIGHT"])

    def resize(self, width, height):
        self._xdotool("windowsize", self.window, str(width), str(height))

    def picture(self, is_right, what, timeout=PATIENCE_S):
        """Takes pictures with F12 until one is right; fails with what it should have been."""
        deadline = time.monotonic() + timeout
        folder = pathlib.Path(self.folder.name)
        while True:
            for old in folder.glob("drover-*.png"):
                old.unlink()
            self.key("F12")
            picture = self._saved(folder, deadline)
            if picture is not None and is_right(picture):
                return picture
            if time.monotonic() > deadline:
                kept = pathlib.Path(tempfile.gettempdir()) / f"drover-viewer-failed-{os.getpid()}.png"
                for path in folder.glob("drover-*.png"):
                    kept.write_bytes(path.read_bytes())
                raise AssertionError(f"no picture within {timeout} s in which {what}; the last is kept as {kept}")

    def _saved(self, folder, deadline):
        until = min(deadline, time.monotonic() + 5.0)
        while time.monotonic() < until:
            for path in folder.glob("drover-*.png"):
                try:
                    return Picture(path)
                except (ValueError, IndexError, zlib.error):
                    pass  # still being written
            time.sleep(0.02)
        return None

    def ends(self):
        """Waits for the end; the exit code."""
        wait_for(lambda: self.process.poll() is not None, "the viewer ends")
        return self.process.returncode
