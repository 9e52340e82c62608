# SPDX-License-Identifier: Apache-2.0
"""Attack code in the real agent: its attempts fail there, and the agent still does its work."""
import errno
import os
import pathlib
import shutil
import socket
import subprocess
import unittest

from agent_life_peer import event_url
from desktop_peer import BusCase, Desktop
from hub import BINARY

# Loaded as a library; it waits for a file in the home, and makes all attempts in the thread that next reads the time.
INTRUDER = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static FILE *report;

static void tell(const char *name, long result) {
    fprintf(report, "%s %d\n", name, result < 0 ? errno : 0);
    errno = EDOM;
}

static int reach(int kind, const char *path, int is_abstract) {
    int held = socket(AF_UNIX, kind, 0);
    if (held < 0) return -1;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path + is_abstract, path, sizeof address.sun_path - 2);
    return connect(
        held, (struct sockaddr *)&address,
        offsetof(struct sockaddr_un, sun_path) + is_abstract + strlen(path) + !is_abstract);
}

static void try_all(const char *home, const char *victim, pid_t other) {
    char path[4096], mine[4096];
#define AT(name) (snprintf(path, sizeof path, "%s/%s", victim, name), path)
#define OWN(name) (snprintf(mine, sizeof mine, "%s/%s", home, name), mine)
#define PROC(name) (snprintf(path, sizeof path, "/proc/%d/%s", other, name), path)
    tell("socket of another", reach(SOCK_STREAM, AT("service"), 0));
    tell("datagrams to another", reach(SOCK_DGRAM, AT("service"), 0));
    tell("abstract socket", reach(SOCK_STREAM, getenv("INTRUDER_NAME"), 1));
    int pair[2];
    tell("pair of datagrams", socketpair(AF_UNIX, SOCK_DGRAM, 0, pair));
    tell("internet", socket(AF_INET, SOCK_STREAM, 0));
    tell("mode", chmod(AT(".bashrc"), 0666));
    tell("mode of a link", fchmodat(AT_FDCWD, AT(".bashrc"), 0666, 0));
    tell("owner", lchown(AT(".bashrc"), getuid(), getgid()));
    tell("key", open(AT(".ssh/id_ed25519"), O_RDONLY));
    tell("list of keys", open(AT(".ssh"), O_RDONLY | O_DIRECTORY));
    tell("profile", open(AT(".bashrc"), O_WRONLY | O_APPEND));
    tell("new file", open(AT("planted"), O_WRONLY | O_CREAT, 0600));
    tell("moved", rename(OWN("policy.toml"), AT("policy.toml")));
    tell("program", execl("/bin/true", "true", (char *)NULL));
    tell("child", syscall(SYS_fork));
    tell("trace", ptrace(PTRACE_SEIZE, other, 0, 0));
    char byte;
    struct iovec local = {&byte, 1}, remote = {&byte, 1};
    tell("memory", process_vm_readv(other, &local, 1, &remote, 1, 0));
    tell("file of memory", open(PROC("mem"), O_RDONLY));
    tell("signal", kill(other, SIGCONT));
    tell("signal to its group", kill(0, SIGCONT));
    int ends[2];
    if (pipe(ends) != 0) abort();
    tell("signal by a descriptor", fcntl(ends[0], F_SETOWN, other));
    tell("priority", setpriority(PRIO_PROCESS, other, 19));
    int file = open(OWN("code"), O_RDWR | O_CREAT, 0700);
    if (file < 0 || write(file, "\xc3", 1) != 1) abort();
    void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
    tell("code from a file", code == MAP_FAILED ? -1 : 0);
    code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    tell("code from data", mprotect(code, 4096, PROT_READ | PROT_EXEC));
    code = mmap(NULL, 4096, PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    tell("code from nothing", code == MAP_FAILED ? -1 : 0);
    tell("file in memory", syscall(SYS_memfd_create, "x", 0));
    tell("typing", ioctl(0, TIOCSTI, "x"));
    tell("rings", syscall(SYS_io_uring_setup, 4, path));
    tell("namespace", syscall(SYS_unshare, CLONE_NEWUSER));
    tell("programs of the kernel", syscall(SYS_bpf, 0, NULL, 0));
    tell("dumps", prctl(PR_SET_DUMPABLE, 1, 0, 0, 0));
    struct rlimit core = {RLIM_INFINITY, RLIM_INFINITY};
    tell("size of dumps", setrlimit(RLIMIT_CORE, &core));
}

static atomic_flag done = ATOMIC_FLAG_INIT;

int clock_gettime(clockid_t clock, struct timespec *time) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
    const char *home = getenv("INTRUDER_HOME");
    char path[4096];
    snprintf(path, sizeof path, "%s/go", home ? home : "");
    if (home && faccessat(AT_FDCWD, path, F_OK, 0) == 0 && !atomic_flag_test_and_set(&done)) {
        snprintf(path, sizeof path, "%s/tried.new", home);
        report = fopen(path, "w");
        // What speaks for the agent comes by here as well, and writes into no home.
        if (!report) return real(clock, time);
        errno = EDOM;
        try_all(home, getenv("INTRUDER_VICTIM"), atoi(getenv("INTRUDER_OTHER")));
        fclose(report);
        char made[4096];
        snprintf(made, sizeof made, "%s/tried", home);
        rename(path, made);
    }
    return real(clock, time);
}
"""


@unittest.skipIf(shutil.which("dbus-daemon") is None, "there is no dbus-daemon")
@unittest.skipIf(shutil.which("cc") is None, "there is no compiler")
class EscapePeer(BusCase):
    def setUp(self):
        super().setUp()
        folder = pathlib.Path(self.hub.folder.name)
        library = folder / "intruder.so"
        source = folder / "intruder.c"
        source.write_text(INTRUDER)
        subprocess.run(
            ["cc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True, timeout=300)
        self.victim = folder / "victim"
        (self.victim / ".ssh").mkdir(parents=True)
        (self.victim / ".bashrc").write_text("# mine\n")
        (self.victim / ".bashrc").chmod(0o600)
        (self.victim / ".ssh/id_ed25519").write_text("secret\n")
        self.listeners = []
        name = f"countersign-{os.getpid()}"
        for address in (str(self.victim / "service"), "\0" + name):
            listener = socket.socket(socket.AF_UNIX)
            self.addCleanup(listener.close)
            listener.bind(address)
            listener.listen(4)
            listener.setblocking(False)
            self.listeners.append(listener)
        other = subprocess.Popen(["sleep", "100000"], start_new_session=True)
        self.addCleanup(other.wait)
        self.addCleanup(other.kill)
        os.environ.update({
            "LD_PRELOAD": str(library), "INTRUDER_HOME": self.hub.home, "INTRUDER_NAME": name,
            "INTRUDER_VICTIM": str(self.victim), "INTRUDER_OTHER": str(other.pid)})

    def tried(self):
        """Returns the results of all attempts, once the attack code has made them."""
        for name in ("LD_PRELOAD", "INTRUDER_HOME"):
            os.environ.pop(name)
        pathlib.Path(self.hub.home, "go").write_text("")
        path = pathlib.Path(self.hub.home, "tried")
        self.until(path.exists, "it never tried")
        lines = [line.rsplit(" ", 1) for line in path.read_text().splitlines()]
        return {name: errno.errorcode.get(int(number), "done") for name, number in lines}

    def test_no_file_of_the_user_is_reached_and_notifications_still_work(self):
        desktop = Desktop()
        self.session.serve(
            "org.freedesktop.Notifications", ("/org/freedesktop/Notifications", desktop))
        self.start_watched()
        status = self.status()["sandbox"]
        has_landlock = "files: Landlock" in status["text"]
        self.assertIn("other programs' sockets: none, new code: none", status["text"])
        tried = self.tried()
        self.assertGreater(len(tried), 30)
        by_files = {"key", "list of keys", "profile", "new file", "moved", "file of memory"}
        for name, result in tried.items():
            with self.subTest(name):
                if name in by_files:
                    if has_landlock:
                        self.assertIn(result, {"EACCES", "EXDEV"})
                else:
                    self.assertEqual(result, "EPERM")
        for listener in self.listeners:
            self.assertRaises(BlockingIOError, listener.accept)
        self.assertEqual((self.victim / ".bashrc").stat().st_mode & 0o777, 0o600)
        self.assertFalse((self.victim / "planted").exists())
        # The agent serves as before, and notifications for its person leave the sandbox.
        self.hub.command("handle", event_url(1))
        command = subprocess.Popen(
            [BINARY, "--home", self.hub.home, "handle", event_url(4)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True)
        self.until(lambda: len(desktop.shown) == 1, "no notification")
        self.assertEqual(
            desktop.shown[0],
            (0, "Countersign", "One request waits for your answer: countersign inbox", []))
        command.kill()
        command.wait()
        self.until(lambda: desktop.closed == [42], "it stays")
        self.system.run(self.mine.Lock)
        self.state_is("locked")
        self.assertIn("the screen is locked", self.log())

    def test_the_helper_for_notifications_is_restricted_and_ends_with_the_agent(self):
        self.start_watched()
        process = self.status()["process"]
        children = pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()
        names = {}
        for child in children:
            text = pathlib.Path(f"/proc/{child}/status").read_text()
            lines = dict(line.split(":", 1) for line in text.splitlines())
            names[lines["Name"].strip()] = (child, lines["Seccomp"].strip())
        self.assertEqual(set(names), {"countersign-aid", "countersign-log", "countersign-say"})
        self.assertEqual(names["countersign-log"][1], "2")
        self.assertEqual(names["countersign-say"][1], "2")
        for child, _ in names.values():
            for link in pathlib.Path(f"/proc/{child}/fd").iterdir():
                place = os.readlink(link)
                self.assertFalse(place.startswith(self.hub.home) and "agent.log" not in place, place)
        os.kill(process, 9)
        for child, _ in names.values():
            self.until(lambda child=child: self.is_gone(child), "it stays")

    def test_a_socket_in_a_folder_with_other_files_is_refused(self):
        os.environ["HOME"] = str(self.victim)
        self.victim.chmod(0o700)
        for folder in (str(self.victim), "/"):
            done = self.run_plain("agent", "--locked", "--socket", os.path.join(folder, "a.sock"))
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("the socket needs a directory of its own", done.stderr)
            self.assertIn("give --socket PATH in a directory of its own", done.stderr)
        self.assertFalse((self.victim / "a.sock").exists())


if __name__ == "__main__":
    unittest.main()
