// SPDX-License-Identifier: Apache-2.0

import Glibc
import SigningCore

/// The systemd units of the user that start the agent of the default home at its first use.
struct LoginUnit {
    private static let name = "countersign-agent.socket"
    /// The command that starts them now and at each login.
    static let enabling = ["systemctl", "--user", "enable", "--now", name]

    /// Finds the units for a home; nil if they serve another home or are not installed.
    ///
    /// They know `$HOME` only, and no variable of this command.
    init?(for home: String, in environment: Environment) {
        guard let user = environment["HOME"], home == "\(user)/.countersign",
            Self.run(["systemctl", "--user", "cat", Self.name], isQuiet: true)
        else { return nil }
    }

    /// Enables the units.
    func enable() throws {
        guard Self.run(Self.enabling, isQuiet: false) else {
            throw CLIError(
                "setup stops: \(Self.enabling.joined(separator: " ")) failed",
                hint: "mend that, or run countersign setup --agent start")
        }
    }

    /// Runs a program of the system; false if it is not there or fails.
    private static func run(_ words: [String], isQuiet: Bool) -> Bool {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        // The standard output belongs to what setup prints for the owner, such as tokens.
        unsafe posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        if isQuiet {
            unsafe posix_spawn_file_actions_addopen(
                &actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        }
        var pointers = unsafe words.map { unsafe strdup($0) }
        unsafe pointers.append(nil)
        defer { unsafe pointers.forEach { unsafe free($0) } }
        var process: pid_t = 0
        guard unsafe posix_spawnp(&process, words[0], &actions, nil, &pointers, environ) == 0 else {
            return false
        }
        var ended: Int32 = 0
        while unsafe waitpid(process, &ended, 0) < 0 && errno == EINTR {}
        return ended == 0
    }
}
