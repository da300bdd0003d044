"""The text on the clipboard of an X display, through libX11, which every program with a window there has."""

import ctypes
import time

SELECTION_NOTIFY = 31
EVENT_LONGS = 24  # XEvent; of a SelectionNotify the property is the eighth
ANY_TYPE = 0
MOST_LONGS = 1 << 18


def library():
    x11 = ctypes.CDLL("libX11.so.6")
    ulong, pointer = ctypes.c_ulong, ctypes.c_void_p
    for name, result, arguments in (
            ("XOpenDisplay", pointer, [ctypes.c_char_p]), ("XCloseDisplay", ctypes.c_int, [pointer]),
            ("XDefaultRootWindow", ulong, [pointer]), ("XPending", ctypes.c_int, [pointer]), ("XFree", ctypes.c_int, [pointer]),
            ("XCreateSimpleWindow", ulong, [pointer, ulong] + [ctypes.c_int] * 2 + [ctypes.c_uint] * 3 + [ulong] * 2),
            ("XInternAtom", ulong, [pointer, ctypes.c_char_p, ctypes.c_int]),
            ("XConvertSelection", ctypes.c_int, [pointer] + [ulong] * 5), ("XNextEvent", ctypes.c_int, [pointer, pointer]),
            ("XGetWindowProperty", ctypes.c_int, [pointer, ulong, ulong, ctypes.c_long, ctypes.c_long, ctypes.c_int, ulong]
             + [pointer] * 5)):
        function = getattr(x11, name)
        function.restype, function.argtypes = result, arguments
    return x11


def property_text(x11, display, window, name):
    kind, form, count, left, data = (ctypes.c_ulong(), ctypes.c_int(), ctypes.c_ulong(), ctypes.c_ulong(), ctypes.c_void_p())
    x11.XGetWindowProperty(display, window, name, 0, MOST_LONGS, 0, ANY_TYPE, *map(ctypes.byref, (kind, form, count, left, data)))
    text = ctypes.string_at(data, count.value) if data.value else b""
    if data.value:
        x11.XFree(data)
    return text.decode("utf-8")


def read(display_name, timeout_s):
    """The text that is on the clipboard; None when its owner does not answer, or nothing is there."""
    x11 = library()
    display = x11.XOpenDisplay(display_name.encode())
    if not display:
        raise AssertionError(f"no display {display_name}")
    try:
        window = x11.XCreateSimpleWindow(display, x11.XDefaultRootWindow(display), 0, 0, 1, 1, 0, 0, 0)
        selection, form, place = (x11.XInternAtom(display, name, 0) for name in (b"CLIPBOARD", b"UTF8_STRING", b"DROVER_TEXT"))
        x11.XConvertSelection(display, selection, form, place, window, 0)
        event = (ctypes.c_ulong * EVENT_LONGS)()
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            if x11.XPending(display) == 0:
                time.sleep(0.02)
                continue
            x11.XNextEvent(display, ctypes.byref(event))
            if event[0] & 0xFFFFFFFF == SELECTION_NOTIFY:
                return property_text(x11, display, window, place) if event[7] else None
        return None
    finally:
        x11.XCloseDisplay(display)
