// SPDX-License-Identifier: Apache-2.0

import Glibc
import SigningCore
import SigningService
import SigningTerminal

/// The clipboard of the desktop, which all its programs can read.
enum Clipboard {
    /// The time to answer the question, in seconds.
    private static let secondsMax: Int64 = 120
    /// The length of the text shown in the question, in characters.
    private static let shownMax = 40

    /// Puts an answer on the clipboard after a person agrees; otherwise reports the reason.
    static func offer(_ answer: [UInt8], _ invocation: Invocation) throws {
        let console = invocation.console
        guard let words = program(invocation.environment) else {
            throw CLIError(
                "the answer is printed: no clipboard program was found",
                hint: "install wl-clipboard, xclip or xsel, or copy what was printed")
        }
        guard let terminal = Terminal() else {
            console.note(
                "the answer is printed: without a terminal you cannot be asked to allow the "
                    + "clipboard"
            )
            return
        }
        let deadline = ContinuousClock.now + .seconds(secondsMax)
        let turn = terminal.takeTurn(until: deadline)
        defer { withExtendedLifetime(turn) {} }
        let text = String(decoding: answer, as: UTF8.self)
        let shown = VisibleText.quotable(text, countMax: shownMax)
        let question =
            "put \(answer.count) bytes on the clipboard, which every program of this desktop can "
            + "read: \"\(shown)\" (y/n): "
        guard turn != nil, terminal.ask(question, until: deadline) == .line("y") else {
            console.note("the answer is printed, and not on the clipboard")
            return
        }
        try put(answer, by: words)
        console.note(
            "on the clipboard: \(answer.count) bytes, \"\(shown)\"; paste them into the page")
    }

    /// The command that copies its standard input to the clipboard; nil if there is none.
    private static func program(_ environment: Environment) -> [String]? {
        let wayland = environment["WAYLAND_DISPLAY"] == nil ? [] : [["wl-copy"]]
        let x11 =
            environment["DISPLAY"] == nil
            ? []
            : [["xclip", "-selection", "clipboard", "-in"], ["xsel", "--clipboard", "--input"]]
        let folders = (environment["PATH"] ?? "").split(separator: ":")
        return (wayland + x11).first { words in
            folders.contains { unsafe access("\($0)/\(words[0])", X_OK) == 0 }
        }
    }

    private static func put(_ bytes: [UInt8], by words: [String]) throws {
        let failed = CLIError(
            "\(words[0]) did not take the answer", hint: "copy what was printed")
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw failed }
        let (reader, writer) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        // The process that stays to serve the clipboard must not hold the standard output open.
        unsafe posix_spawn_file_actions_adddup2(&actions, reader, STDIN_FILENO)
        for output in [STDOUT_FILENO, STDERR_FILENO] {
            unsafe posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0)
        }
        var pointers = unsafe words.map { unsafe strdup($0) }
        unsafe pointers.append(nil)
        defer { unsafe pointers.forEach { unsafe free($0) } }
        var process: pid_t = 0
        let status = unsafe posix_spawnp(
            &process, words[0], &actions, nil, &pointers, environ)
        close(reader)
        guard status == 0 else {
            close(writer)
            throw failed
        }
        let before = signal(SIGPIPE, SIG_IGN)
        let isWritten = Descriptor.write(bytes.span, to: writer)
        close(writer)
        signal(SIGPIPE, before)
        var ended: Int32 = 0
        while unsafe waitpid(process, &ended, 0) < 0 && errno == EINTR {}
        guard isWritten, ended == 0 else { throw failed }
    }
}
