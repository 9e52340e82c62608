# SPDX-License-Identifier: Apache-2.0
"""Makes PNG files of screens small: at most 256 colours, the rare ones rounded to frequent ones."""
import collections
import struct
import zlib

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunks(data):
    place = len(SIGNATURE)
    while place < len(data):
        size, kind = struct.unpack(">I4s", data[place:place + 8])
        yield kind, data[place + 8:place + 8 + size]
        place += 12 + size


def rows(data):
    """Returns rows of three-byte pixels of a browser's PNG: 8 bits, RGB or RGBA, not interlaced."""
    parts = list(chunks(data))
    width, height, depth, colours, _, _, interlace = struct.unpack(">IIBBBBB", parts[0][1])
    if (depth, interlace) != (8, 0) or colours not in (2, 6):
        raise ValueError("this is no picture of a browser")
    step = 3 if colours == 2 else 4
    raw = zlib.decompress(b"".join(content for kind, content in parts if kind == b"IDAT"))
    before = bytearray(width * step)
    for number in range(height):
        start = number * (width * step + 1)
        way, line = raw[start], bytearray(raw[start + 1:start + 1 + width * step])
        for place in range(len(line)):
            left = line[place - step] if place >= step else 0
            up = before[place]
            if way == 1:
                line[place] = (line[place] + left) & 255
            elif way == 2:
                line[place] = (line[place] + up) & 255
            elif way == 3:
                line[place] = (line[place] + (left + up) // 2) & 255
            elif way == 4:
                corner = before[place - step] if place >= step else 0
                guess = left + up - corner
                nearest = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))
                line[place] = (line[place] + nearest[2]) & 255
        yield [bytes(line[place:place + 3]) for place in range(0, len(line), step)]
        before = line


def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def shrink(data, colours=64):
    """Returns the picture with the given number of most frequent colours."""
    picture = list(rows(data))
    counts = collections.Counter(pixel for row in picture for pixel in row)
    palette = [pixel for pixel, _ in counts.most_common(colours)]
    places = {pixel: place for place, pixel in enumerate(palette)}
    for pixel in counts:
        if pixel not in places:
            places[pixel] = min(range(len(palette)), key=lambda place: sum(
                (one - other) ** 2 for one, other in zip(pixel, palette[place])))
    lines = b"".join(b"\0" + bytes(places[pixel] for pixel in row) for row in picture)
    head = struct.pack(">IIBBBBB", len(picture[0]), len(picture), 8, 3, 0, 0, 0)
    return SIGNATURE + chunk(b"IHDR", head) + chunk(b"PLTE", b"".join(palette)) + chunk(
        b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b"")
