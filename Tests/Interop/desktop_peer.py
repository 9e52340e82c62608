# SPDX-License-Identifier: Apache-2.0
"""The agent on real test buses: a login manager that reports sleep and sessions, and a desktop that
records notifications."""
import asyncio
import os
import shutil
import subprocess
import tempfile
import threading
import time
import unittest

from dbus_next import BusType, Message, MessageType, Variant
from dbus_next.aio import MessageBus
from dbus_next.constants import PropertyAccess
from dbus_next.service import ServiceInterface, dbus_property, method, signal

from agent_life_peer import LifeCase, event_url
from approvals_peer import several
from hub import BINARY, Hub

SESSION_PATH = "/org/freedesktop/login1/session/_31"
OTHER_PATH = "/org/freedesktop/login1/session/_32"


class Manager(ServiceInterface):
    """Plays org.freedesktop.login1.Manager, as far as the agent uses it."""

    def __init__(self):
        super().__init__("org.freedesktop.login1.Manager")
        self.sessions = [["1", os.geteuid(), "me", "seat0", SESSION_PATH],
                         ["2", os.geteuid() + 1, "other", "seat0", OTHER_PATH]]
        self.held = []

    @method()
    def ListSessions(self) -> "a(susso)":
        return self.sessions

    @method()
    def Inhibit(self, what: "s", who: "s", why: "s", mode: "s") -> "h":
        reader, writer = os.pipe()
        self.held.append((reader, writer, (what, who, mode)))
        return writer

    @signal()
    def PrepareForSleep(self, start) -> "b":
        return start

    @signal()
    def SessionRemoved(self, name, path) -> "so":
        return [name, path]


class Session(ServiceInterface):
    """Plays org.freedesktop.login1.Session."""

    def __init__(self, user):
        super().__init__("org.freedesktop.login1.Session")
        self.user = user
        self.locked = False

    @dbus_property(access=PropertyAccess.READ)
    def User(self) -> "(uo)":
        return [self.user, "/org/freedesktop/login1/user/_0"]

    @dbus_property(access=PropertyAccess.READ)
    def Class(self) -> "s":
        return "user"

    @dbus_property(access=PropertyAccess.READ)
    def LockedHint(self) -> "b":
        return self.locked

    @signal()
    def Lock(self):
        pass


class Desktop(ServiceInterface):
    """Plays org.freedesktop.Notifications; it keeps the notifications."""

    def __init__(self):
        super().__init__("org.freedesktop.Notifications")
        self.shown = []
        self.closed = []

    @method()
    def Notify(self, app: "s", replaces: "u", icon: "s", summary: "s", body: "s",
               actions: "as", hints: "a{sv}", timeout: "i") -> "u":
        self.shown.append((replaces, summary, body, actions))
        return replaces or 41 + len(self.shown)

    @method()
    def CloseNotification(self, number: "u"):
        self.closed.append(number)


class Bus:
    """A bus of dbus-daemon with services in a separate thread."""

    def __init__(self, folder, name):
        self.address = f"unix:path={folder}/{name}.bus"
        self.daemon = subprocess.Popen(
            ["dbus-daemon", "--session", "--nofork", "--nopidfile", f"--address={self.address}",
             "--print-address=1"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.daemon.stdout.readline()
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever)
        self.thread.start()

    def call(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(30)

    def run(self, function, *words):
        async def body():
            return function(*words)
        return self.call(body())

    async def _serve(self, name, objects):
        bus = await MessageBus(bus_address=self.address, negotiate_unix_fd=True).connect()
        for path, interface in objects:
            bus.export(path, interface)
        await bus.request_name(name)
        return bus

    def serve(self, name, *objects):
        self.connection = self.call(self._serve(name, objects))

    def stop(self):
        async def leave():
            if hasattr(self, "connection"):
                self.connection.disconnect()
        self.call(leave())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(30)
        self.daemon.kill()
        self.daemon.wait()
        self.daemon.stdout.close()


class BusCase(LifeCase):
    """A home with a system bus and a session bus."""

    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory(prefix="countersign-")
        self.addCleanup(folder.cleanup)
        self.system = Bus(folder.name, "system")
        self.addCleanup(self.system.stop)
        self.session = Bus(folder.name, "session")
        self.addCleanup(self.session.stop)
        before = dict(os.environ)
        os.environ["DBUS_SYSTEM_BUS_ADDRESS"] = self.system.address
        os.environ["DBUS_SESSION_BUS_ADDRESS"] = self.session.address
        self.addCleanup(lambda: (os.environ.clear(), os.environ.update(before)))
        self.manager = Manager()
        self.mine, self.others = Session(os.geteuid()), Session(os.geteuid() + 1)

    def start_watched(self, *options):
        self.system.serve(
            "org.freedesktop.login1", ("/org/freedesktop/login1", self.manager),
            (SESSION_PATH, self.mine), (OTHER_PATH, self.others))
        self.hub.command("agent", "start", "--socket", self.socket, *options)
        self.until(lambda: self.status()["locks_with_login"].startswith("when"))

    def state_is(self, state):
        self.until(lambda: self.status()["state"] == state)


@unittest.skipIf(shutil.which("dbus-daemon") is None, "there is no dbus-daemon")
class Desktops(BusCase):
    def stays_unlocked(self):
        time.sleep(0.5)
        self.assertEqual(self.status()["state"], "unlocked")

    def test_sleep_locks_the_agent_and_is_delayed_until_then(self):
        self.start_watched()
        self.until(lambda: len(self.manager.held) == 1)
        reader, writer, asked = self.manager.held[0]
        time.sleep(0.5)
        os.close(writer)
        self.assertEqual(asked, ("sleep", "countersign", "delay"))
        self.assertEqual(self.connection_of(reader), "held")
        self.system.run(self.manager.PrepareForSleep, True)
        self.assertEqual(self.connection_of(reader, wait=True), "free")
        self.assertEqual(self.status()["state"], "locked", "it was locked before")
        self.assertIn("the vault is locked: the machine goes to sleep", self.log())
        self.system.run(self.manager.PrepareForSleep, False)
        self.until(lambda: len(self.manager.held) == 2)
        self.assertEqual(self.status()["state"], "locked", "waking unlocks nothing")

    def connection_of(self, reader, wait=False):
        """Returns "free" once all other ends of a pipe are closed, or "held" after the wait."""
        end = time.monotonic() + (30 if wait else 0)
        os.set_blocking(reader, False)
        while True:
            try:
                return "free" if os.read(reader, 1) == b"" else "used"
            except BlockingIOError:
                if time.monotonic() >= end:
                    return "held"
                time.sleep(0.02)

    def test_a_locked_screen_of_the_same_user_locks_the_agent(self):
        self.start_watched()
        self.system.run(self.others.Lock)
        self.stays_unlocked()
        self.system.run(self.mine.Lock)
        self.state_is("locked")
        self.hub.command("agent", "unlock")
        self.mine.locked = True
        self.system.run(self.mine.emit_properties_changed, {"LockedHint": True})
        self.state_is("locked")
        self.assertIn("the screen is locked", self.log())
        self.hub.command("agent", "unlock")
        self.system.run(self.mine.emit_properties_changed, {"LockedHint": False})
        self.stays_unlocked()

    def test_the_end_of_the_last_session_locks_the_agent(self):
        self.start_watched()
        self.manager.sessions.append(["3", os.geteuid(), "me", "", OTHER_PATH])
        self.system.run(self.manager.SessionRemoved, "9", "/org/freedesktop/login1/session/_39")
        self.manager.sessions.pop()
        self.system.run(self.manager.SessionRemoved, "3", OTHER_PATH)
        self.stays_unlocked()
        self.manager.sessions.pop(0)
        self.system.run(self.manager.SessionRemoved, "1", SESSION_PATH)
        self.state_is("locked")
        self.assertIn("the login has ended", self.log())

    def test_signals_of_other_programs_do_not_lock_the_agent(self):
        self.start_watched()

        async def forge():
            bus = await MessageBus(bus_address=self.system.address).connect()
            names = await bus.call(Message(
                destination="org.freedesktop.DBus", path="/org/freedesktop/DBus",
                interface="org.freedesktop.DBus", member="ListNames"))
            for name in names.body[0]:
                for destination in (name, None):
                    await bus.send(Message(
                        message_type=MessageType.SIGNAL, destination=destination,
                        path="/org/freedesktop/login1", interface="org.freedesktop.login1.Manager",
                        member="PrepareForSleep", signature="b", body=[True]))
            bus.disconnect()
        self.system.call(forge())
        self.stays_unlocked()
        self.system.run(self.manager.PrepareForSleep, True)
        self.state_is("locked")

    def test_an_agent_that_stays_unlocked_ignores_the_login_manager(self):
        self.system.serve(
            "org.freedesktop.login1", ("/org/freedesktop/login1", self.manager),
            (SESSION_PATH, self.mine))
        self.hub.command("agent", "start", "--socket", self.socket, "--most", "0")
        self.assertEqual(self.status()["locks_with_login"], "no: --most 0")
        self.system.run(self.manager.PrepareForSleep, True)
        self.stays_unlocked()

    def test_the_agent_reports_a_missing_login_manager(self):
        self.hub.command("agent", "start", "--socket", self.socket)
        self.until(lambda: self.status()["locks_with_login"] == "no: logind does not run")
        self.assertIn("no: logind does not run", self.run_plain("doctor").stdout)

    def ask(self, number):
        """Sends a request whose question waits."""
        return subprocess.Popen(
            [BINARY, "--home", self.hub.home, "handle", event_url(number)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True)

    def test_one_notification_says_that_a_question_waits(self):
        desktop = Desktop()
        self.session.serve(
            "org.freedesktop.Notifications", ("/org/freedesktop/Notifications", desktop))
        self.hub.command("agent", "start", "--socket", self.socket)
        first = self.ask(4)
        self.until(lambda: len(desktop.shown) == 1)
        self.assertEqual(
            desktop.shown[0],
            (0, "Countersign", "One request waits for your answer: countersign inbox", []))
        second = self.ask(7)
        self.until(lambda: len(desktop.shown) == 2)
        self.assertEqual(
            desktop.shown[1],
            (42, "Countersign", "2 requests wait for your answer: countersign inbox", []))
        self.assertEqual(self.status()["notifies"], "on the desktop")
        for command in (first, second):
            command.kill()
            command.wait(timeout=30)
        self.until(lambda: desktop.closed == [42])

    def test_a_notification_says_that_a_question_to_several_people_waits(self):
        desktop = Desktop()
        self.session.serve(
            "org.freedesktop.Notifications", ("/org/freedesktop/Notifications", desktop))
        other = Hub("new_client")
        self.addCleanup(other.folder.cleanup)
        several(self.hub, other)
        self.hub.command("agent", "start", "--socket", self.socket)
        asked = self.ask(4)
        self.until(lambda: len(desktop.shown) == 1)
        self.assertEqual(desktop.shown[0], (
            0, "Countersign",
            "One question to several people waits for you: countersign approver pending", []))
        asked.kill()
        asked.wait(timeout=30)
        self.until(lambda: desktop.closed == [42])

    def test_a_notification_names_unanswered_clients_until_the_unlock(self):
        desktop = Desktop()
        self.session.serve(
            "org.freedesktop.Notifications", ("/org/freedesktop/Notifications", desktop))
        self.hub.command("bunker", "new", "--relays", "ws://127.0.0.1:9")
        self.hub.command("agent", "start", "--socket", self.socket, "--locked")
        self.until(lambda: len(desktop.shown) == 1)
        self.assertEqual(desktop.shown[0], (
            0, "Countersign", "Clients over relays get no answer: countersign agent unlock", []))
        self.hub.command("agent", "unlock")
        self.until(lambda: desktop.closed == [42])

    def test_the_agent_reports_a_missing_desktop(self):
        self.hub.command("agent", "start", "--socket", self.socket)
        command = self.ask(4)
        self.until(
            lambda: self.status()["notifies"] == "no: no program on the session bus shows notifications")
        command.kill()
        command.wait(timeout=30)


if __name__ == "__main__":
    unittest.main()
