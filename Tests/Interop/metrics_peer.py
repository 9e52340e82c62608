# SPDX-License-Identifier: Apache-2.0
"""The metrics of an agent, read over its socket and its port by Prometheus' own parser."""
import http.client
import json
import os
import pathlib
import time
import unittest

import nostr_sdk
from prometheus_client.parser import text_string_to_metric_families

from agent_peer import Agent, event_url
from hub import Hub, free_port

POLICY = """
version = 2
default = "deny"

[[rule]]
id = "few-notes"
effect = "allow"
channel = "socket"
protocol = "nostr"
operation = "sign_event"
limit = [{ count = 2, per = "1d" }]
acknowledge = ["new_client", "odd_time", "client_mismatch"]
"""


BY_CLIENT = """
version = 1
default = "deny"

[[rule]]
id = "by-client"
effect = "allow"
protocol = "nostr"
operation = "sign_event"
limit = [{ count = 5, per = "1d", by = ["client"] }, { count = 40, per = "1d" }]
acknowledge = ["new_client"]
"""


def values(text):
    """Every sample by its name and labels."""
    return {(sample.name, *sorted(sample.labels.values())): sample.value
            for family in text_string_to_metric_families(text) for sample in family.samples}


class Metrics(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hub = Hub("new_client")
        cls.addClassCleanup(cls.hub.folder.cleanup)
        key = nostr_sdk.Keys.generate()
        cls.hub.import_key("nostr", "alice", key.secret_key().to_bech32())
        pathlib.Path(cls.hub.home, "policy.toml").write_text(POLICY)
        cls.hub.command("policy", "attest")
        cls.token = cls.token_for("prometheus", "metrics")
        cls.port = free_port()
        cls.agent = Agent(cls.hub, "--metrics", str(cls.port))
        cls.addClassCleanup(cls.agent.kill)

    @classmethod
    def token_for(cls, name, scope):
        return cls.hub.command("agent", "token", "new", "--name", name, "--scope", scope).decode().strip()

    def get(self, path="/metrics", token=None, method="GET", **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        self.addCleanup(connection.close)
        if token:
            headers["Authorization"] = f"Bearer {token}"
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()

    def read(self):
        status, text = self.get(token=self.token)
        self.assertEqual(status, 200)
        over_socket = self.agent.ask("GET", "/v1/metrics")[2]
        self.assertEqual(values(text).keys(), values(over_socket).keys())
        return values(text)

    def test_state_denials_limits_and_backup_are_told(self):
        before = self.read()
        self.assertEqual(before["countersign_unlocked",], 1)
        self.assertEqual(before["countersign_ready",], 1)
        self.assertEqual(before["countersign_frozen",], 0)
        self.assertEqual(before["countersign_questions_waiting",], 0)
        self.assertNotIn(("countersign_last_backup_timestamp_seconds",), before)
        started = int(time.time())
        self.hub.command("backup", "create", os.path.join(self.hub.folder.name, "copy"))
        for text in ["one", "two"]:
            self.agent.submit(event_url(text))
        for _ in range(3):
            body = {"frame": event_url("three")}
            self.assertEqual(self.agent.ask("POST", "/v1/requests", body)[2]["state"], "denied")
        after = self.read()
        [used] = [value for name, value in after.items() if name[0] == "countersign_limit_used"]
        [most] = [name for name in after if name[0] == "countersign_limit_maximum"]
        self.assertEqual((used, after[most]), (2, 2))
        self.assertIn("few-notes", most)
        denied = {name[1]: value for name, value in after.items()
                  if name[0] == "countersign_denied_total"}
        self.assertEqual(sum(denied.values()), 3, denied)
        backup = after["countersign_last_backup_timestamp_seconds",]
        self.assertTrue(started <= backup <= time.time() + 1, backup)
        self.hub.command("freeze", "a test")
        frozen = self.read()
        self.assertEqual((frozen["countersign_frozen",], frozen["countersign_ready",]), (1, 0))
        self.hub.command("thaw")
        self.agent.ask("POST", "/v1/lock", {})
        locked = self.read()
        self.assertEqual((locked["countersign_unlocked",], locked["countersign_ready",]), (0, 0))

    def test_only_the_holder_of_a_token_for_metrics_reads_them(self):
        self.assertEqual(self.get()[0], 401)
        self.assertEqual(self.get(token="countersign_" + "0" * 64)[0], 401)
        self.assertEqual(self.get(token=self.token_for("keys", "keys"))[0], 403)
        for text in ["Basic eDp5", "Bearer", "Bearer a b"]:
            self.assertEqual(self.get(Authorization=text)[0], 401)
        gone = self.token_for("gone", "metrics")
        self.assertEqual(self.get(token=gone)[0], 200)
        self.hub.command("agent", "token", "revoke", "gone")
        self.assertEqual(self.get(token=gone)[0], 401)

    def test_the_port_serves_nothing_else(self):
        for path in ["/", "/v1/metrics", "/v1/status", "/v1/requests", "/metrics/"]:
            self.assertEqual(self.get(path, self.token)[0], 404)
        self.assertEqual(self.get("/metrics?a=b", self.token)[0], 400)
        status, text = self.get(token=self.token, method="POST")
        self.assertEqual((status, "wrong_method" in text), (405, True))

    def test_a_page_in_a_browser_reads_nothing(self):
        """A page whose name leads to this machine has no token, and a browser shows it no answer."""
        name = f"evil.example:{self.port}"
        for method, status in [("GET", 401), ("OPTIONS", 405), ("HEAD", 405)]:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
            self.addCleanup(connection.close)
            connection.request(method, "/metrics", headers={
                "Host": name, "Origin": f"http://{name}", "Access-Control-Request-Headers": "authorization"})
            answer = connection.getresponse()
            self.assertEqual(answer.status, status, method)
            self.assertEqual([head for head in answer.headers if head.lower().startswith("access-control")], [])
            self.assertNotIn(b"countersign_", answer.read())

    def test_a_token_in_the_url_is_refused_and_not_repeated(self):
        for path in [f"/metrics?token={self.token}", f"/metrics?access_token={self.token}"]:
            for token in [None, self.token]:
                status, text = self.get(path, token)
                self.assertEqual(status, 400)
                self.assertNotIn(self.token, text)

    def test_the_metrics_name_no_client_key_or_address(self):
        self.agent.ask("POST", "/v1/requests", {"frame": event_url("private words")})
        status, text = self.get(token=self.token)
        self.assertEqual(status, 200)
        [key] = json.loads(self.hub.command("--json", "key", "list"))
        for word in ["alice", key["public_key"], "private words", "python", self.token, "prometheus"]:
            self.assertNotIn(word, text)

    def test_a_token_for_metrics_sends_no_request(self):
        body = {"frame": event_url("four")}
        headers = {"Authorization": f"Bearer {self.token}"}
        answer = self.agent.ask("POST", "/v1/requests", body, headers)[2]
        self.assertNotEqual(answer.get("state"), "done")

    def test_a_taken_port_is_told(self):
        other = Hub("new_client")
        self.addCleanup(other.folder.cleanup)
        agent = Agent(other, "--metrics", str(self.port))
        self.addCleanup(agent.kill)
        text = agent.first + agent.process.stderr.read().decode()
        self.assertIn(f"127.0.0.1:{self.port}: Address already in use", text)
        self.assertIn("--metrics PORT", text)


class SeparateLimits(unittest.TestCase):
    def test_a_limit_by_client_names_no_client_and_tells_the_least_left(self):
        hub = Hub("new_client")
        self.addCleanup(hub.folder.cleanup)
        hub.command("key", "new", "--protocol", "nostr", "--name", "alice")
        pathlib.Path(hub.home, "policy.toml").write_text(BY_CLIENT)
        hub.command("policy", "attest")
        agent = Agent(hub)
        self.addCleanup(agent.kill)
        for name, count in [("shop", 1), ("evilone", 3), ("other", 2)]:
            for number in range(count):
                frame = event_url(f"{name} {number}").replace("peer://", f"{name}://")
                agent.submit(frame)
        text = agent.ask("GET", "/v1/metrics")[2]
        for name in ("shop", "evilone", "other"):
            self.assertNotIn(name, text)
        limits = sorted((name[0], value) for name, value in values(text).items() if "_limit_" in name[0])
        self.assertEqual(limits, [("countersign_limit_maximum", 5), ("countersign_limit_maximum", 40),
                                  ("countersign_limit_used", 3), ("countersign_limit_used", 6)])


if __name__ == "__main__":
    unittest.main()
