# SPDX-License-Identifier: Apache-2.0
"""countersign-datachannel with the WebRTC of a real Chromium, without a library in between."""
import asyncio
import unittest

from playwright.async_api import async_playwright

from datachannel import PATIENCE, Program

CHROMIUM = "/usr/bin/chromium"
LARGEST = 262_144

# Answers an offer like a page: candidates follow the description and have mDNS names.
ANSWER = """async (sdp) => {
  const peer = new RTCPeerConnection();
  window.found = []; window.came = []; window.peer = peer;
  window.opened = new Promise((resolve) => {
    peer.ondatachannel = ({ channel }) => {
      window.channel = channel;
      channel.binaryType = "arraybuffer";
      channel.onmessage = ({ data }) => came.push(data);
      channel.onclose = () => { window.hasClosed = true; };
      resolve();
    };
  });
  peer.onicecandidate = ({ candidate }) => { if (candidate) found.push(candidate.toJSON()); };
  await peer.setRemoteDescription({ type: "offer", sdp });
  await peer.setLocalDescription(await peer.createAnswer());
  return peer.localDescription.sdp;
}"""


class ChromiumPeer(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.playwright = await async_playwright().start()
        self.browser = await self.playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"])
        self.page = await self.browser.new_page()
        self.program = await Program.start()

    async def asyncTearDown(self):
        if self.program.process.returncode is None:
            self.program.process.kill()
        await self.program.ended()
        await self.browser.close()
        await self.playwright.stop()

    async def open(self):
        program, page = self.program, self.page
        offer = (await program.line("offer"))["sdp"]
        answer = await page.evaluate(ANSWER, offer)
        self.assertNotIn("a=candidate", answer)
        await program.put(type="answer", sdp=answer)
        await page.wait_for_function("found.length > 0", timeout=PATIENCE * 1000)
        for candidate in await page.evaluate("found"):
            await program.put(type="candidate", candidate=candidate["candidate"])
        line = await program.line("open")
        await page.evaluate("opened")
        return line

    async def test_messages(self):
        program, page = self.program, self.page
        self.assertEqual((await self.open())["maxMessageSize"], LARGEST)
        texts = ["{}", "\u00e4\U0001f680", "x" * LARGEST, "u" * 66_120]
        for text in texts:
            await page.evaluate("(text) => channel.send(text)", text)
            self.assertEqual((await program.line("message"))["text"], text)
            await program.put(type="send", text=text)
        await page.wait_for_function(
            f"came.length === {len(texts)}", timeout=PATIENCE * 1000)
        self.assertEqual(await page.evaluate("came"), texts)
        await page.evaluate("channel.send(new Uint8Array([0, 1, 2]))")
        self.assertEqual((await program.line("message"))["data"], "AAEC")
        # A browser refuses a message that is larger than the offer accepts.
        self.assertTrue(await page.evaluate(
            f"(() => {{ try {{ channel.send('x'.repeat({LARGEST + 1})); return false; }}"
            " catch { return channel.readyState === 'open'; } })()"))
        await program.put(type="close")
        self.assertEqual((await program.line("closed"))["reason"], "it was closed here")
        await page.wait_for_function("window.hasClosed", timeout=PATIENCE * 1000)

    async def test_leaving_the_page_ends_the_channel(self):
        await self.open()
        await self.page.goto("about:blank")
        self.assertIn("peer", (await self.program.line("closed"))["reason"])
        self.assertEqual(await asyncio.wait_for(self.program.ended(), PATIENCE), 0)


if __name__ == "__main__":
    unittest.main()
