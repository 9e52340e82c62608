# SPDX-License-Identifier: Apache-2.0
"""`countersign liquid connect` with a page in a real Chromium: the browser's own WebRTC, and no library."""
import json
import unittest
import uuid

from playwright.async_api import async_playwright

from datachannel import PATIENCE
from datachannel_browser_peer import CHROMIUM
from liquid_connect_peer import TESTNET, LiquidConnect, is_gone

# The page of an app: Socket.IO 4 on a WebSocket; it answers the first offer and keeps the texts.
PAGE = """(requestId) => {
  window.came = [];
  const place = location.origin.replace("https", "wss");
  const socket = new WebSocket(`${place}/socket.io/?EIO=4&transport=websocket`);
  const emit = (name, value) => socket.send("42" + JSON.stringify([name, value]));
  const peer = new RTCPeerConnection();
  let answered = false;
  peer.ondatachannel = ({ channel }) => {
    window.channel = channel;
    channel.onmessage = ({ data }) => came.push(data);
    channel.onclose = () => { window.hasClosed = true; };
  };
  const early = [];
  peer.onicecandidate = ({ candidate }) => {
    if (!candidate) return;
    if (answered) emit("answer-candidate", candidate.toJSON());
    else early.push(candidate.toJSON());
  };
  const take = async (name, value) => {
    if (name === "offer-candidate" && answered) await peer.addIceCandidate(value);
    if (name !== "offer-description" || window.offered) return;
    window.offered = true;
    await peer.setRemoteDescription({ type: "offer", sdp: value });
    await peer.setLocalDescription(await peer.createAnswer());
    emit("answer-description", peer.localDescription.sdp);
    answered = true;
    for (const candidate of early) emit("answer-candidate", candidate);
  };
  socket.onmessage = ({ data }) => {
    if (data[0] === "0") socket.send("40");
    if (data === "2") socket.send("3");
    if (data.startsWith("40")) socket.send('420["link",' + JSON.stringify({ requestId }) + "]");
    if (data.startsWith("42")) take(...JSON.parse(data.slice(2)));
  };
}"""


class LiquidBrowser(LiquidConnect):
    async def asyncSetUp(self):
        self.playwright = await async_playwright().start()
        self.browser = await self.playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"])
        context = await self.browser.new_context(ignore_https_errors=True)
        self.page = await context.new_page()

    async def asyncTearDown(self):
        await super().asyncTearDown()
        await self.browser.close()
        await self.playwright.stop()

    async def ask(self, method, **params):
        call = {"id": str(uuid.uuid4()), "reference": f"arc0027:{method}:request",
                "params": params}
        await self.page.evaluate("(text) => channel.send(text)", json.dumps(call))
        found = await self.page.wait_for_function(
            "(id) => came.find((text) => text.includes(id))", arg=call["id"],
            timeout=PATIENCE * 1000)
        return json.loads(await found.json_value())

    async def test_registers_connects_and_signs_a_group(self):
        server = self.serve(users={})
        for known in (False, True):
            request_id = str(uuid.uuid4())
            await self.page.goto(server.origin)
            await self.page.evaluate(PAGE, request_id)
            wallet = await self.connect(server, request_id)
            await wallet.says("open:")
            await self.page.wait_for_function(
                "window.channel?.readyState === 'open'", timeout=PATIENCE * 1000)
            # The first run makes a passkey, the second logs in with it.
            self.assertEqual(
                ["authenticatorData" in body["response"] for body in server.bodies][-1], known)
            provider = (await self.ask("discover"))["result"]["providerId"]
            enabled = await self.ask("enable", providerId=provider, genesisHash=TESTNET)
            self.assertIn(
                self.address, [one["address"] for one in enabled["result"]["accounts"]])
            signed = await self.ask(
                "sign_transactions", providerId=provider, txns=self.group(4))
            self.assertEqual(len(signed["result"]["stxns"]), 4, signed)
            keeper = wallet.keeper()
            await self.page.goto("about:blank")
            self.assertIn("closed: the ", await wallet.ends())
            await is_gone(keeper)


for name in dir(LiquidConnect):
    if name.startswith("test_"):
        setattr(LiquidBrowser, name, None)
del LiquidConnect


if __name__ == "__main__":
    unittest.main()
