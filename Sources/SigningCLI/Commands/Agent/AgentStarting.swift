// SPDX-License-Identifier: Apache-2.0

import Glibc
import SigningAgent
import SigningCore
import SigningCrypto
import SigningFiles
import SigningService
import SigningVault

/// Starts an agent as a separate process without a terminal.
struct AgentStarting {
    private let invocation: Invocation
    private let home: String

    init(_ invocation: Invocation, _ home: OpenHome) {
        self.invocation = invocation
        self.home = home.home.path
    }

    /// The maximum time until the agent answers, in seconds.
    private static let readySecondsMax = 60
    /// The log length above which a new agent truncates the log, in bytes.
    private static let logBytesMax: off_t = 1 << 20
    /// The descriptor from which the agent reads its passphrase.
    private static let passphraseDescriptor: Int32 = 3
    /// `POSIX_SPAWN_SETSID`.
    private static let ownSession: Int16 = 0x80

    private var logPath: String { "\(home)/agent.log" }

    /// Starts the agent and returns its process id once it answers.
    func run() async throws -> Int32 {
        guard try AgentFinding.presence(in: home) == .none else {
            throw CLIError(
                "an agent already runs for this home", hint: "see \"countersign agent status\"")
        }
        let remembers = try AgentOptions.terminalMinutes(invocation.arguments) > 0
        guard !invocation.arguments.has("--locked") else { return try await run(nil) }
        let passphrase = try invocation.passphrase()
        var attempt = 1
        while true {
            let secret = try passphrase.read(to: "unlock the vault", isAgain: attempt > 1)
            do {
                let process = try await run(filledPipe(secret))
                if remembers, passphrase.isTyped { await rememberTerminal(secret, process) }
                return process
            } catch {
                let error = CLIError(error)
                guard attempt < passphrase.attemptsMax,
                    error.message == VaultError.wrongPassphrase.explained.message
                else { throw error }
                attempt += 1
            }
        }
    }

    /// Has the new agent remember this terminal; if that fails, the next command asks.
    private func rememberTerminal(
        _ passphrase: borrowing SecretBytes, _ process: Int32
    ) async {
        // No other process gets the passphrase.
        guard let client = try? AgentClient.find(for: home), client.process == process,
            case .open(let session)? = try? await AgentSession.open(
                with: passphrase, at: client, forTerminal: true)
        else { return }
        await session.close()
    }

    private func run(_ pipe: Int32?) async throws -> Int32 {
        defer { if let pipe { close(pipe) } }
        let log = try openLog()
        defer { close(log) }
        let start = lseek(log, 0, SEEK_END)
        let process = try spawn(log: log, passphrase: pipe)
        do {
            try await AgentFinding.wait(seconds: Self.readySecondsMax) {
                var status: Int32 = 0
                guard unsafe waitpid(process, &status, WNOHANG) == 0 else {
                    throw failure(log, since: start)
                }
                guard case .serving(process, _) = try AgentFinding.presence(in: home) else {
                    return false
                }
                return true
            }
        } catch {
            Self.end(process)
            throw error
        }
        return process
    }

    /// Ends an agent that did not answer in time; does nothing if the process has ended.
    private static func end(_ process: Int32) {
        var status: Int32 = 0
        guard unsafe waitpid(process, &status, WNOHANG) == 0 else { return }
        kill(process, SIGTERM)
        for _ in 0..<endTenthsMax {
            usleep(100_000)
            guard unsafe waitpid(process, &status, WNOHANG) == 0 else { return }
        }
        kill(process, SIGKILL)
        _ = unsafe waitpid(process, &status, 0)
    }

    /// The time between SIGTERM and SIGKILL, in tenths of a second.
    private static let endTenthsMax = 100

    private func openLog() throws -> Int32 {
        let flags = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW
        let log = unsafe open(logPath, flags, 0o600)
        guard log >= 0 else {
            throw CLIError("\(logPath) cannot be written", hint: "check the free space on the disk")
        }
        if lseek(log, 0, SEEK_END) > Self.logBytesMax { _ = ftruncate(log, 0) }
        return log
    }

    /// Creates a pipe that holds the passphrase; the whole passphrase fits into its buffer.
    private func filledPipe(_ secret: borrowing SecretBytes) throws -> Int32 {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else {
            throw CLIError(
                "too many files are open",
                hint: "close other programs, or raise the limit (ulimit -n)")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[1]) }
        guard secret.withSpan({ Descriptor.write($0, to: ends[1]) }) else {
            close(ends[0])
            throw CLIError("the passphrase cannot be passed to the agent", hint: nil)
        }
        return ends[0]
    }

    private func spawn(log: Int32, passphrase: Int32?) throws -> Int32 {
        var words = ["countersign", "agent", "--home", home]
        if passphrase != nil { words += ["--passphrase-fd", "\(Self.passphraseDescriptor)"] }
        words += AgentOptions.words(invocation.arguments)
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, log, STDOUT_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, log, STDERR_FILENO)
        if let passphrase {
            unsafe posix_spawn_file_actions_adddup2(
                &actions, passphrase, Self.passphraseDescriptor)
        }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // In a separate session, signals of this terminal do not reach the agent.
        unsafe posix_spawnattr_setflags(&attributes, Self.ownSession)
        var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        var process: pid_t = 0
        let status = unsafe posix_spawn(
            &process, "/proc/self/exe", &actions, &attributes, &arguments, environ)
        guard status == 0 else {
            throw CLIError(
                "the agent cannot be started: \(unsafe String(cString: strerror(status)))",
                hint: nil)
        }
        return process
    }

    /// The error that the agent logged before it ended, as an error of this command.
    private func failure(_ log: Int32, since start: off_t) -> CLIError {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = unsafe pread(log, &bytes, bytes.count, start)
        let lines = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(
            separator: "\n")
        func text(_ mark: String) -> String? {
            let line = lines.first { $0.hasPrefix(mark) }
            return line.map { VisibleText.escaped(String($0.dropFirst(mark.utf8.count))) }
        }
        return CLIError(
            text("countersign: error: ") ?? "the agent ended before it answered",
            hint: text("countersign: hint: ") ?? "see \(logPath)")
    }
}
