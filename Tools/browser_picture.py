# SPDX-License-Identifier: Apache-2.0
"""Takes Docs/browser.png: the options of the real extension, paired with a real agent.

usage: browser_picture.py (in the environment of Tests/Interop, after make build)"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "Tests/Interop"), str(ROOT / "Tools")]

from browser import OPTIONS, Case  # noqa: E402
from small_png import shrink  # noqa: E402


class Picture(Case):
    def runTest(self):
        page = self.page(OPTIONS)
        page.wait_for_function("() => document.querySelector('#state').textContent.startsWith('Paired')")
        page.fill("#off", "https://bank.example")
        page.set_viewport_size({"width": 720, "height": 700})
        (ROOT / "Docs/browser.png").write_bytes(shrink(page.screenshot(full_page=True), 32))


if __name__ == "__main__":
    Picture.make()
    try:
        Picture().debug()
    finally:
        Picture.doClassCleanups()
