# SPDX-License-Identifier: Apache-2.0
"""Codes in pictures, drawn by segno and by hand: logins with them, and invalid pictures."""
import os
import pathlib
import signal
import struct
import subprocess
import tempfile
import time
import unittest
import zlib

import segno

from hub import BINARY, PASSPHRASE, ROOT, Hub, pipe
from liquid_peer import WORDS, made_certificate
from liquid_server import Server
from old_kernel import without

PROGRAM = os.environ.get("COUNTERSIGN_QR", str(ROOT / ".build/datachannel/countersign-qr"))


def png(width, height, data, depth=8):
    """Returns a grey picture with the given rows."""
    def chunk(name, body):
        return (struct.pack(">I", len(body)) + name + body
                + struct.pack(">I", zlib.crc32(name + body)))
    head = struct.pack(">IIBBBBB", width, height, depth, 0, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(data))
            + chunk(b"IEND", b""))


def drawn(*texts, scale=4):
    """Returns a picture with codes beside each other."""
    codes = [[list(row) for row in segno.make(text, micro=False).matrix_iter(scale, 4)]
             for text in texts]
    height = max(len(code) for code in codes)
    rows = []
    for number in range(height):
        line = b"\0"
        for code in codes:
            row = code[number] if number < len(code) else [0] * len(code[0])
            line += bytes(0 if dark else 255 for dark in row)
        rows.append(line)
    return png(len(rows[0]) - 1, height, b"".join(rows))


def corners(size):
    """Returns a small file with as many finder patterns as fit: hours of work for a reader."""
    corner = ["1111111", "1000001", "1011101", "1011101", "1011101", "1000001", "1111111"]
    rows = []
    for line in corner + ["0000000"]:
        bits = "".join("0" if bit == "1" else "1" for bit in line + "0") * (size // 8)
        rows.append(b"\0" + int(bits, 2).to_bytes(size // 8, "big"))
    return png(size, size, b"".join(rows) * (size // 8), depth=1)


class LiquidPicture(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="countersign-")
        cls.certificate = made_certificate(cls.folder.name)
        cls.hub = Hub("liquid_challenge", "new_client")
        cls.hub.import_key("algorand", "treasury", WORDS.read_text().strip())
        cls.server = Server(certificate=cls.certificate)

    @classmethod
    def tearDownClass(cls):
        cls.server.close()

    def picture(self, data, name="code.png"):
        path = pathlib.Path(self.folder.name, name)
        path.write_bytes(data)
        return str(path)

    def login(self, place, status=0, program=PROGRAM, command="login"):
        """Logs in with a picture; returns the output."""
        reader = pipe(PASSPHRASE)
        done = subprocess.run(
            [BINARY, "--home", self.hub.home, "--passphrase-fd", str(reader), "liquid", command,
             "--ca", self.certificate[0], place],
            capture_output=True, pass_fds=[reader], timeout=120, stdin=subprocess.DEVNULL,
            env=os.environ | {"COUNTERSIGN_QR": program})
        os.close(reader)
        text = done.stdout.decode() + done.stderr.decode()
        self.assertEqual(done.returncode, status, text)
        return text

    def refused(self, data, words, status=1, **more):
        """Checks that both commands refuse a picture before they contact a server."""
        before = len(self.server.headers)
        place = data if isinstance(data, str) else self.picture(data)
        for command in ("login", "connect"):
            said = self.login(place, status, command=command, **more)
            self.assertIn(words, said)
            self.assertIn("hint:", said)
            self.assertEqual(said.count("error:"), 1, said)
        self.assertEqual(len(self.server.headers), before)

    def test_pictures_in_different_styles_log_in(self):
        looks = [
            {"scale": 2}, {"scale": 5, "light": None}, {"scale": 40},
            {"scale": 4, "dark": "white", "light": "black"},
            {"scale": 6, "dark": "darkblue", "light": "#ffffe0", "border": 2}]
        for look in looks:
            with self.subTest(look):
                path = os.path.join(self.folder.name, "look.png")
                segno.make(self.server.uri()).save(path, **look)
                count = len(self.server.bodies)
                said = self.login(path)
                self.assertIn(f"the QR code contains an address of {self.server.origin}", said)
                self.assertIn("logged in at", said)
                self.assertEqual(len(self.server.bodies), count + 1)
        # The same code twice counts as one.
        self.login(self.picture(drawn(self.server.uri(), self.server.uri())))

    def test_pictures_without_exactly_one_code_are_refused(self):
        uri = self.server.uri()
        white = png(300, 300, (b"\0" + b"\xff" * 300) * 300)
        self.refused(white, "has no QR code in it")
        noise = png(500, 500, b"".join(b"\0" + os.urandom(500) for _ in range(500)))
        self.refused(noise, "has no QR code in it")
        self.refused(drawn(uri, self.server.uri("other")), "has several QR codes in it")

    def test_broken_or_too_large_pictures_are_refused(self):
        whole = drawn(self.server.uri())
        self.refused(png(20_000, 20_000, b""), "is too large")
        self.refused(png(1, 2**31 - 1, b""), "is not a PNG picture, or is damaged")
        self.refused(b"\x89PNG\r\n\x1a\n" + bytes(17 << 20), "is too large")
        for data in (whole[:len(whole) // 2], whole[:20], whole[:-30], b"", b"\xff\xd8\xff\xe0",
                     self.server.uri().encode(), b"\x89PNG\r\n\x1a\n",
                     whole.replace(b"IHDR", b"IHDX"), png(4_000, 4_000, b"\0")):
            with self.subTest(data[:30]):
                self.refused(data, "is not a PNG picture, or is damaged")

    def test_a_picture_that_takes_too_long_is_refused(self):
        data = corners(4_000)
        self.assertLess(len(data), 32 << 10)
        done = subprocess.run([PROGRAM], input=data, capture_output=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (-signal.SIGXCPU, b""))
        self.refused(data, "takes too long to read")

    def test_codes_of_another_kind_are_refused(self):
        for text in ("https://localhost/?requestId=1", "algorand://AAAA", "liquid://", "hello",
                     self.server.uri() + "\n", "\x1b[2J" + self.server.uri(),
                     self.server.uri().replace("://", "://\x07")):
            with self.subTest(text):
                self.refused(drawn(text), "cannot be used")
        said = self.login(self.picture(drawn("\x1b]0;x\x07")), 1)
        self.assertNotIn("\x1b", said)
        self.refused(drawn(b"\xff\xfe\x00liquid"), "the picture")

    def test_paths_that_are_no_file_are_refused(self):
        place = os.path.join(self.folder.name, "pipe")
        os.mkfifo(place)
        for wrong in (place, self.folder.name, "/dev/zero"):
            self.refused(wrong, "is not a file", 64)
        self.refused(os.path.join(self.folder.name, "none.png"), "cannot be opened", 64)

    def script(self, text):
        path = pathlib.Path(self.folder.name, f"program-{time.monotonic_ns()}")
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o700)
        return str(path)

    def test_a_missing_or_faulty_picture_program_is_reported(self):
        path = self.picture(drawn(self.server.uri()))
        self.refused(path, "countersign-qr is not installed", program="/nonexistent")
        self.assertIn("make datachannel install", self.login(path, 1, program="/nonexistent"))
        for text, words in (
            ("exit 0", "cannot be used"), ("kill -9 $$", "cannot be read"), ("exit 7", "cannot be read"),
            ("printf '\\377\\376'", "cannot be read"),
            ("while :; do echo xxxxxxxxxxxxxxxx; done", "takes too long"),
            ("sleep 1000", "takes too long"),
            ("printf 'liquid://a b'", "cannot be used"),
            ("exec sleep 1000 <&- >&- 2>&-", "cannot be read"),
        ):
            with self.subTest(text):
                self.refused(path, words, program=self.script(text))
        loose = self.script("exit 0")
        os.chmod(loose, 0o777)
        self.refused(path, "others could change it", program=loose)

    def test_the_picture_program_gives_up_unneeded_permissions(self):
        held, _ = os.pipe()
        with subprocess.Popen(
                [PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, pass_fds=[held]) as process:
            def state(name):
                text = pathlib.Path(f"/proc/{process.pid}/status").read_text()
                return text.split(f"\n{name}:")[1].split("\n")[0].strip()
            end = time.monotonic() + 60
            while state("Seccomp") != "2":
                self.assertLess(time.monotonic(), end)
                time.sleep(0.01)
            self.assertEqual(state("NoNewPrivs"), "1")
            limits = pathlib.Path(f"/proc/{process.pid}/limits").read_text()
            self.assertIn("Max open files            3                    3", limits)
            self.assertEqual(sorted(os.listdir(f"/proc/{process.pid}/fd")), ["0", "1", "2"])
            out, _ = process.communicate(drawn("liquid://a/?requestId=1"), timeout=60)
            self.assertEqual((process.returncode, out), (0, b"liquid://a/?requestId=1"))
        for words, status in (["--check"], 0), (["--help"], 0), (["--more"], 64):
            done = subprocess.run([PROGRAM, *words], capture_output=True, timeout=60)
            self.assertEqual(done.returncode, status)

    def test_the_picture_program_does_not_start_without_a_sandbox(self):
        data = drawn("liquid://a/?requestId=1")
        for name, words in ("seccomp", b"no seccomp"), ("landlock", b"no Landlock"):
            done = subprocess.run(
                [PROGRAM], input=data, capture_output=True, timeout=60, preexec_fn=without(name))
            self.assertEqual((done.returncode, done.stdout), (69, b""))
            self.assertIn(words, done.stderr)

    def test_doctor_reports_the_picture_program(self):
        for program, words in (PROGRAM, PROGRAM), ("/nonexistent", "is not installed"):
            done = subprocess.run(
                [BINARY, "--home", self.hub.home, "doctor"], capture_output=True, timeout=60,
                env=os.environ | {"COUNTERSIGN_QR": program})
            line = [line for line in done.stdout.decode().splitlines() if "pictures" in line]
            self.assertEqual(len(line), 1, done)
            self.assertIn(words, line[0])


if __name__ == "__main__":
    unittest.main()
