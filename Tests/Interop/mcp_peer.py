# SPDX-License-Identifier: Apache-2.0
"""The Model Context Protocol, checked with the official client of both protocol versions."""
import asyncio
import contextlib
import json
import subprocess
import unittest

import nostr_sdk
from mcp import Client, StdioServerParameters

from agent_peer import Agent, event_url, signed_event
from hub import BINARY, Hub

ERAS = ("auto", "legacy", "2026-07-28")
POLICY = """
version = 1
default = "deny"

[[rule]]
id = "three-notes"
effect = "allow"
protocol = "nostr"
channel = "socket"
operation = "sign_event"
kind = 1
acknowledge = ["new_client"]
limit = [{ count = 3, per = "1d" }]

[[rule]]
id = "ask-of-others"
effect = "ask"
protocol = "nostr"
kind = 4
"""


class MCP(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.hub = Hub("new_client")
        self.addCleanup(self.hub.folder.cleanup)
        keys = nostr_sdk.Keys.generate()
        self.public = keys.public_key()
        self.hub.import_key("nostr", "alice", keys.secret_key().to_bech32())
        with open(f"{self.hub.home}/policy.toml", "w", encoding="utf-8") as file:
            file.write(POLICY)
        self.hub.command("policy", "attest")
        self.agent = Agent(self.hub)
        self.addCleanup(self.agent.kill)

    def server(self, *options):
        # The environment that such clients pass on has no XDG_RUNTIME_DIR.
        return StdioServerParameters(
            command=str(BINARY), args=["--home", self.hub.home, "mcp", *options])

    async def call(self, client, tool, **arguments):
        result = await client.call_tool(tool, arguments)
        self.assertEqual(json.loads(result.content[0].text), result.structured_content)
        return result.structured_content

    async def test_clients_of_both_protocol_versions_list_explain_and_sign(self):
        for era in ERAS:
            async with Client(self.server(), mode=era) as client:
                tools = (await client.list_tools()).tools
                self.assertEqual(
                    [tool.name for tool in tools],
                    ["accounts", "explain", "submit", "wait", "withdraw", "limits"])
                self.assertFalse({"approve", "decide", "allow"} & {tool.name for tool in tools})
                accounts = await self.call(client, "accounts")
                self.assertEqual(accounts["keys"][0]["public_key"], self.public.to_hex())
                explained = await self.call(client, "explain", frame=event_url(era))
                self.assertEqual(explained["verdict"], "allow")
                done = await self.call(client, "submit", frame=event_url(era))
                self.assertEqual(done["state"], "done", done)
                self.assertTrue(signed_event(done["reply"]).verify())
        # The limit is used up.
        async with Client(self.server(), mode="auto") as client:
            limits = (await self.call(client, "limits"))["limits"]
            self.assertEqual([(row["used"], row["left"]) for row in limits], [("3", "0")])
            denied = await self.call(client, "submit", frame=event_url("more"), wait_seconds=0)
            self.assertIn(denied["state"], ("pending", "denied"))
            denied = await self.call(client, "wait", id=denied["id"], wait_seconds=20)
            self.assertEqual(denied["state"], "denied", denied)
            self.assertEqual(denied["advice"]["limits"][0]["left"], "0")
            explained = await self.call(client, "explain", frame=event_url("more"))
            self.assertIsNotNone(explained["allowed_at"])

    async def test_a_question_ends_when_the_client_gives_up_its_call(self):
        said = []

        async def progress(_done, _total, message):
            said.append(message)

        question = event_url("ask").replace("%3A%201%2C", "%3A%204%2C")
        async with Client(self.server(), mode="auto") as client:
            with contextlib.suppress(Exception):
                await client.call_tool(
                    "submit", {"frame": question, "wait_seconds": 60}, read_timeout_seconds=3,
                    progress_callback=progress)
            self.assertIn("waiting for a person, who answers with: countersign inbox", said)
        for _ in range(400):
            if "countersign_requests_in_flight 0" in self.agent.ask("GET", "/v1/metrics")[2]:
                break
            await asyncio.sleep(0.1)
        else:
            self.fail("a question waits although its client has left")

    async def test_invalid_calls_are_refused(self):
        async with Client(self.server(), mode="legacy") as client:
            with self.assertRaises(Exception):
                await client.call_tool("approve", {})
            unknown = await client.call_tool("submit", {"approve": True})
            self.assertTrue(unknown.is_error)
            wrong = await client.call_tool("submit", {"frame": "what is this"})
            self.assertTrue(wrong.structured_content["state"] == "failed" or wrong.is_error)

    def test_each_call_says_how_to_start_a_missing_agent(self):
        self.agent.process.kill()
        self.agent.process.wait(timeout=30)
        line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                           "params": {"name": "accounts", "arguments": {}}})
        done = subprocess.run(
            [BINARY, "--home", self.hub.home, "mcp"], input=line + "\n", text=True,
            capture_output=True, check=True, timeout=30)
        result = json.loads(done.stdout)["result"]
        self.assertTrue(result["isError"])
        self.assertIn("countersign agent", result["structuredContent"]["hint"])


if __name__ == "__main__":
    unittest.main()
