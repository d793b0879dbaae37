"""Asks the window called Ringside on $DISPLAY to close, as the cross of a window manager does."""
import ctypes
import sys


class ClientMessage(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("send_event", ctypes.c_int),
                ("display", ctypes.c_void_p), ("window", ctypes.c_ulong), ("message_type", ctypes.c_ulong),
                ("format", ctypes.c_int), ("data", ctypes.c_long * 5), ("padding", ctypes.c_long * 24)]


CLIENT_MESSAGE = 33


def windows(x, display):
    """Those on the top level, with their names."""
    root, parent, count = ctypes.c_ulong(), ctypes.c_ulong(), ctypes.c_uint()
    children = ctypes.POINTER(ctypes.c_ulong)()
    x.XQueryTree(display, ctypes.c_ulong(x.XDefaultRootWindow(display)), ctypes.byref(root), ctypes.byref(parent),
                 ctypes.byref(children), ctypes.byref(count))
    for window in children[:count.value]:
        name = ctypes.c_char_p()
        if x.XFetchName(display, ctypes.c_ulong(window), ctypes.byref(name)) and name.value:
            yield window, name.value.decode()


def main():
    x = ctypes.CDLL("libX11.so.6")
    x.XOpenDisplay.restype, x.XDefaultRootWindow.restype = ctypes.c_void_p, ctypes.c_ulong
    x.XInternAtom.restype = ctypes.c_ulong
    display = ctypes.c_void_p(x.XOpenDisplay(None))
    found = [window for window, name in windows(x, display) if name == "Ringside"]
    for window in found:
        event = ClientMessage(CLIENT_MESSAGE, 0, 1, display, window, x.XInternAtom(display, b"WM_PROTOCOLS", 0), 32)
        event.data[0] = x.XInternAtom(display, b"WM_DELETE_WINDOW", 0)
        x.XSendEvent(display, ctypes.c_ulong(window), 0, 0, ctypes.byref(event))
    x.XSync(display, 0)
    return 0 if found else f"there is no such window; there are: {[name for _, name in windows(x, display)]}"


if __name__ == "__main__":
    sys.exit(main())
