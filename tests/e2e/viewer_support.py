"""Common to the viewer's end-to-end tests: an X server of their own, the viewer as a process, pictures as pixels.

Standard library, Pillow, and the packaged programs Xvfb and xdotool. Everything is bounded in time and stopped by its process id.
"""

import contextlib
import functools
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from PIL import Image, ImageChops

from drover_client import PATIENCE_S, ROOT, end_process, text_so_far, wait_for

# viewer/explain/behavior_colors.c, theme.c
STATE_COLORS = {"seek": (0x56, 0xB4, 0xE9), "arrive": (0x6D, 0xF8, 0xC0), "flee": (0xFA, 0x9F, 0x3C),
                "wander": (0x9A, 0xA0, 0xA6), "pursue": (0xF0, 0xE4, 0x42), "evade": (0xF0, 0x62, 0x2D),
                "follow": (0x3F, 0x92, 0xF7), "drift": (0x90, 0xF1, 0xD0), "hide": (0xB0, 0x86, 0x28)}
TARGET, VELOCITY, DESIRED = (0xFF, 0x6B, 0x6B), (0x7E, 0xE7, 0x87), (0xE8, 0xEE, 0xF6)
ACCENT, PANEL_COLOR = (0x58, 0xA6, 0xFF), (0x1B, 0x1F, 0x26)
SIDE_PX, BAR_PX = 16, 32  # margins around the world in the window
LEGEND_PX, LEGEND_ROOM_PX = 186, 1200  # left free for the legend where the window is so wide; and in all what it may cover, if that costs little
LEGEND_MOST_PX, LEAST_SHARE = 244, 0.75
PANEL = (264, 38)  # sizes of the side panel and the timeline, when they are shown
TOAST_S = 4.5  # a toast is gone after this; F12 shows one of its own
LEGEND = (230, 250)  # where the legend may cover the world, from the top left


def viewer_program(usage, takes_more=False):
    """The viewer that a script's command line names: SCRIPT DROVER_SERVER DROVER_VIEWER, and more where it takes more. The server is
    from now on that of `Server`. usage: what is said of another command line."""
    if len(sys.argv) < 3 or len(sys.argv) > 3 and not takes_more:
        sys.exit(usage)
    os.environ["DROVER_SERVER"], viewer = map(os.path.abspath, sys.argv[1:3])
    return viewer


class Picture:
    """A PNG file as pixels of 8-bit RGB. ValueError or OSError: it is not complete (yet)."""

    def __init__(self, path):
        with Image.open(path) as image:
            self.image = image.convert("RGB")
        self.tick = self._tick(path)

    @property
    def width(self):
        return self.image.width

    @property
    def height(self):
        return self.image.height

    @functools.cached_property
    def rows(self):
        """Bytes, three a pixel."""
        data, stride = self.image.tobytes(), 3 * self.width
        return [data[begin:begin + stride] for begin in range(0, len(data), stride)]

    @staticmethod
    def _tick(path):
        """The tick of the picture, which F12 puts in the name: drover-seek-120.png."""
        number = pathlib.Path(path).stem.rpartition("-")[2]
        return int(number) if number.isdigit() else None

    def pixel(self, x, y):
        return self.image.getpixel((int(x), int(y)))

    def count(self, color, x=0, y=0, reach=None):
        """Pixels of exactly this color; within reach of x, y when it is given."""
        if reach is None:
            box = (0, 0, self.width, self.height)
        else:
            box = (max(0, int(x - reach)), max(0, int(y - reach)), min(self.width, int(x + reach)),
                   min(self.height, int(y + reach)))
        if box[0] >= box[2] or box[1] >= box[3]:
            return 0
        counts = self.image.crop(box).getcolors((box[2] - box[0]) * (box[3] - box[1]))
        return sum(count for count, value in counts if value == tuple(color))


def differing(a, b, limit, mask=None):
    """How many pixels of two pictures of one size differ by more than `limit` in some channel, where the mask is not 0."""
    red, green, blue = ImageChops.difference(a.image, b.image).split()
    return sum(ImageChops.lighter(ImageChops.lighter(red, green), blue).histogram(mask)[limit + 1:])


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def wait_until(ask, is_right, what):
    """Asks until the reply is right; returns it."""
    deadline = time.monotonic() + PATIENCE_S
    while not is_right(answer := ask()):
        check(time.monotonic() < deadline, f"not within {PATIENCE_S} s: {what}; last: {answer}")
        time.sleep(0.05)
    return answer


def reaches(viewer, keys, is_marked, what):
    """Presses keys until the control that they lead to has the keyboard. Where a busy machine holds a key for long, it counts as
    several: then Esc, and once more."""
    for _ in range(5):
        for key in (*keys, None, None):  # what a key marks shows in the next picture
            if key is not None:
                viewer.key(key)
            picture = viewer.frames(1)
        if is_marked(picture):
            return
        viewer.key("Escape")
    kept = pathlib.Path(tempfile.gettempdir()) / f"drover-viewer-failed-{os.getpid()}.png"
    picture.image.save(kept)
    check(False, f"the keyboard's control: {what}; the last picture is kept as {kept}")


def step(what):
    print(f"- {what}", flush=True)


def difference(a, b, step=24):
    """The share of pixels that differ by more than `step` in some channel."""
    if a.image.size != b.image.size:
        return 1.0
    return differing(a, b, step) / (a.width * a.height)


class Camera:
    """Where the world must be in a window of this size: as large as fits, in the middle, 16 px and the bar left free."""

    def __init__(self, world, window, panel=False, has_legend=None):
        has_legend = window[0] >= 700 if has_legend is None else has_legend
        side, below = PANEL if panel else (0, 0)
        legend = LEGEND_PX if window[0] >= LEGEND_ROOM_PX else 0
        wide, high = window[0] - 2 * SIDE_PX - side - legend, window[1] - 2 * SIDE_PX - BAR_PX - below
        if has_legend:
            scale, strip = min(wide / world[0], high / world[1]), LEGEND_MOST_PX - legend
            wider = min(max(2 * strip - (wide - world[0] * scale), 0), strip)
            wider = wider if min((wide - wider) / world[0], high / world[1]) >= LEAST_SHARE * scale else 0
            legend, wide = legend + wider, wide - wider
        room = (wide, high)
        self.scale = min(room[0] / world[0], room[1] / world[1])
        self.x = SIDE_PX + legend + (room[0] - world[0] * self.scale) / 2
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
        # by. The viewer's own leaks are found without a display, where no such library is loaded.
        environment["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    return environment


class Display:
    """An X server on a free display. -noreset: it must not start over, and refuse clients meanwhile, whenever the last
    client (one xdotool) has gone. -r: a key is pressed once, however late a busy machine lets go of it."""

    def __init__(self, size="1280x800"):
        self.size = size

    def __enter__(self):
        reader, writer = os.pipe()
        self.log = tempfile.TemporaryFile()
        self.place = tempfile.TemporaryDirectory(prefix="drover-display-")
        self.folder = self.place.name
        self.process = subprocess.Popen(
            ["Xvfb", "-displayfd", str(writer), "-screen", "0", f"{self.size}x24", "-nolisten", "tcp", "-noreset", "-r",
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
        end_process(self.process)
        self.log.close()
        self.place.cleanup()

    def screen(self):
        return Screen(pathlib.Path(self.folder) / "Xvfb_screen0")


class Screen:
    """The screen: the display's memory, which Xvfb keeps as an XWD file, 32 bits a pixel."""

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
    """The viewer with a window on a display, run in a folder of its own (where F12 saves). port: of a server on this
    machine, or the path of a recording. settings: the text of viewer.json that it finds there. has_view: worlds are shown
    as their scenarios propose; else as the viewer shows all of them."""

    title = "^Drover"  # of the window on the display

    def __init__(self, binary, display, port, *arguments, settings=None, has_view=False, environment=None):
        self.display = display
        self.folder = tempfile.TemporaryDirectory(prefix="drover-viewer-")
        self.log = open(pathlib.Path(self.folder.name) / "log", "w+b")
        if settings is not None:
            (pathlib.Path(self.folder.name) / "drover").mkdir()
            (pathlib.Path(self.folder.name) / "drover" / "viewer.json").write_text(settings)
        arguments = ["--log", "info", *arguments] if has_view else ["--log", "info", "--own-view", *arguments]
        self.process = subprocess.Popen([binary, port if isinstance(port, str) else f"127.0.0.1:{port}", *arguments],
                                        cwd=self.folder.name,
                                        env={**viewer_environment(display.name), "XDG_CONFIG_HOME": self.folder.name,
                                             **(environment or {})},
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
        end_process(self.process)
        self.log.close()
        self.folder.cleanup()

    def said(self):
        return text_so_far(self.log)

    def _finds_window(self):
        if self.process.poll() is not None:
            raise AssertionError(f"the viewer ended with {self.process.returncode}")
        found = self._xdotool("search", "--onlyvisible", "--name", self.title, check=False)
        self.window = found.split()[-1] if found.split() else None
        return self.window is not None

    def _xdotool(self, *arguments, check=True):
        done = subprocess.run(["xdotool", *arguments], env={**os.environ, "DISPLAY": self.display.name},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE_S)
        if check and done.returncode != 0:
            raise AssertionError(f"xdotool {' '.join(arguments)}: {done.stderr}")
        return done.stdout

    @contextlib.contextmanager
    def stands_still(self):
        """What happens meanwhile comes to the viewer at once, as in a frame that takes long."""
        self.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.process.send_signal(signal.SIGCONT)

    def move(self, x, y):
        self._xdotool("mousemove", "--window", self.window, str(x), str(y))

    def click(self, button=1):
        self._xdotool("click", str(button))

    def press(self):
        self._xdotool("mousedown", "1")

    def release(self):
        self._xdotool("mouseup", "1")

    def drop(self, x, y):
        """Moves what is held there and lets go of it, both in one picture of the viewer."""
        self._xdotool("mousemove", "--window", self.window, str(x), str(y), "mouseup", "1")

    def type(self, text):
        self._xdotool("type", "--delay", "30", text)

    def key(self, name):
        self._xdotool("key", name)

    @contextlib.contextmanager
    def held(self, name):
        """A key that is down meanwhile."""
        self._xdotool("keydown", name)
        try:
            yield
        finally:
            self._xdotool("keyup", name)

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
        """Takes pictures with F12 until one is right; fails with the expected property."""
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

    def frames(self, count=2):
        """Waits for so many pictures and returns the last one. Before the first is taken, the viewer has handled what was done
        until now; what comes of it shows in the second."""
        for _ in range(count):
            picture = self.picture(lambda p: True, "anything")
        return picture

    def _saved(self, folder, deadline):
        until = min(deadline, time.monotonic() + 20.0)  # a large picture, a busy machine
        while time.monotonic() < until:
            for path in folder.glob("drover-*.png"):
                try:
                    return Picture(path)
                except (ValueError, OSError, SyntaxError):
                    pass  # still being written
            time.sleep(0.02)
        return None

    def ends(self):
        """Waits for the end; the exit code."""
        wait_for(lambda: self.process.poll() is not None, "the viewer ends")
        return self.process.returncode
