# SPDX-License-Identifier: Apache-2.0
"""Draws the icons of the browser extension: a pen stroke with a second one across it, on a blue tile.

usage: browser_icons.py [--check]

With --check it compares the files with its drawing."""
import math
import pathlib
import struct
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "Tools"))

from small_png import SIGNATURE, chunk  # noqa: E402
import zlib  # noqa: E402

SIZES = (16, 32, 48, 128)
BLUE = (11, 92, 173)
WHITE = (255, 255, 255)
# Samples per pixel, in each direction.
FINE = 4
# In parts of the tile: its corner radius, the pen stroke, the signing line, and half the width of a stroke.
ROUND = 0.22
STROKES = [((0.22, 0.44), (0.42, 0.64)), ((0.42, 0.64), (0.80, 0.22)), ((0.20, 0.80), (0.80, 0.80))]
PEN = 0.062


def distance(x, y, stroke):
    (ax, ay), (bx, by) = stroke
    along = ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / ((bx - ax) ** 2 + (by - ay) ** 2)
    along = min(1, max(0, along))
    return math.hypot(x - ax - along * (bx - ax), y - ay - along * (by - ay))


def is_tile(x, y):
    dx, dy = (max(ROUND - it, it - 1 + ROUND, 0) for it in (x, y))
    return math.hypot(dx, dy) <= ROUND


def pixel(column, row, size):
    inside = white = 0
    for step in range(FINE * FINE):
        x = (column + (step % FINE + 0.5) / FINE) / size
        y = (row + (step // FINE + 0.5) / FINE) / size
        if is_tile(x, y):
            inside += 1
            white += any(distance(x, y, stroke) <= PEN for stroke in STROKES)
    if inside == 0:
        return bytes(4)
    colour = [round((white * one + (inside - white) * other) / inside) for one, other in zip(WHITE, BLUE)]
    return bytes(colour) + bytes([round(255 * inside / FINE ** 2)])


def picture(size):
    lines = b"".join(b"\0" + b"".join(pixel(column, row, size) for column in range(size)) for row in range(size))
    head = struct.pack(">IIBBBBB", size, size, 8, 6, 0, 0, 0)
    return SIGNATURE + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b"")


def main():
    stale = []
    for size in SIZES:
        file = ROOT / f"Browser/icon{size}.png"
        if sys.argv[1:] == ["--check"]:
            stale += [] if file.exists() and file.read_bytes() == picture(size) else [file.name]
        else:
            file.write_bytes(picture(size))
    sys.exit(f"not as they are drawn: {', '.join(stale)}" if stale else 0)


if __name__ == "__main__":
    main()
