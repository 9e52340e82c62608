// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc
package import Sandbox
internal import SigningCodecs
internal import Synchronization

/// The location of the program `countersign-datachannel`.
public struct ChannelProgram: Hashable, Sendable {
    /// The name of the program.
    public static let name = "countersign-datachannel"
    /// The environment variable with another path of the program.
    public static let variable = "COUNTERSIGN_DATACHANNEL"

    /// The path of the program.
    public let path: String
    /// True if the helper process beside the sandbox starts the program.
    let isOfSandbox: Bool

    /// The program that the sandbox of this process was given.
    package static let ofSandbox = ChannelProgram(path: name, isOfSandbox: true)

    private init(path: String, isOfSandbox: Bool) {
        self.path = path
        self.isOfSandbox = isOfSandbox
    }

    /// Finds the program at `named`, otherwise beside the running program or in `libexec` next to
    /// its folder.
    ///
    /// Only its owner or the system may be able to change it and the folders above it.
    public init(named: String?) throws(ChannelError) {
        do throws(HelperPlace.PlaceError) {
            self.init(path: try HelperPlace.of(Self.name, named: named), isOfSandbox: false)
        } catch {
            throw .missingProgram(
                error.words(on: Self.name),
                hint: error == .missing
                    ? HelperPlace.installing(Self.variable) : "see Docs/datachannel-stdio.md")
        }
    }

    /// The program with a digest of its current bytes, for a sandbox; nil if it cannot be read.
    package var named: NamedProgram? {
        guard let file = SandboxProgram.look(at: path) else { return nil }
        defer { close(file) }
        return ProgramDigest.of(file).flatMap { NamedProgram(path, digest: $0) }
    }

    /// The result of starting the program with `--check`.
    public enum Check: Hashable, Sendable {
        /// The program is ready; `bounds` describes its restrictions, line by line.
        case ready(bounds: [String])
        /// The program lacks something; the text is its message.
        case missing(String)
    }

    /// Asks the program if everything that it needs is present.
    public func check() -> Check {
        let said = Mutex<[String]>([])
        let ended = DispatchSemaphore(value: 0)
        do throws(ChannelError) {
            _ = try RunningProgram(
                self, arguments: ["--check"],
                onLine: { line in
                    said.withLock { said in
                        guard said.count < Self.checkLinesMax else { return }
                        said.append(String(decoding: line, as: UTF8.self))
                    }
                }, onEnd: { ended.signal() })
        } catch {
            return .missing("it cannot be started")
        }
        ended.wait()
        let lines = said.withLock { $0 }
        guard lines.first == "ready" else {
            return .missing(lines.isEmpty ? "it ends at once" : lines.joined(separator: "; "))
        }
        return .ready(bounds: Array(lines.dropFirst()))
    }

    private static let checkLinesMax = 8
}

/// A running program that exchanges lines with this process, and shares nothing else with it.
final class RunningProgram: Sendable {
    /// The maximum length of a line, in bytes: a message of control characters, in JSON.
    static let lineBytesMax = 2 << 20

    private let input: Int32
    private let isOfSandbox: Bool
    private let process = Mutex<pid_t?>(nil)
    private let isInputOpen = Mutex(true)
    private let writing = DispatchQueue(label: "countersign.datachannel.out")

    /// Starts the program; `onLine` and `onEnd` are called on a thread that exists as long as it
    /// runs.
    convenience init(
        _ program: ChannelProgram, arguments: [String] = [],
        onLine: @escaping @Sendable ([UInt8]) -> Void, onEnd: @escaping @Sendable () -> Void
    ) throws(ChannelError) {
        if program.isOfSandbox {
            try self.init(onLine: onLine, onEnd: onEnd)
        } else {
            try self.init(program.path, arguments, onLine: onLine, onEnd: onEnd)
        }
    }

    /// Lets the helper process beside the sandbox start the program and wait for its end.
    private init(
        onLine: @escaping @Sendable ([UInt8]) -> Void, onEnd: @escaping @Sendable () -> Void
    ) throws(ChannelError) {
        guard let (socket, number) = SandboxProgram.runChannel() else {
            throw Self.failure(errno)
        }
        let output = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        guard output >= 0 else {
            let number = errno
            close(socket)
            throw Self.failure(number)
        }
        input = socket
        isOfSandbox = true
        process.withLock { $0 = number }
        DispatchQueue(label: "countersign.datachannel.in").async { [self] in
            Self.read(output, onLine)
            close(output)
            // A program that has closed its output may still run, and use up one of the helper's
            // places.
            kill()
            onEnd()
        }
    }

    private init(
        _ path: String, _ arguments: [String], onLine: @escaping @Sendable ([UInt8]) -> Void,
        onEnd: @escaping @Sendable () -> Void
    ) throws(ChannelError) {
        var sockets: [Int32] = [-1, -1]
        var others: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, type, 0, &sockets) == 0 else { throw Self.failure(errno) }
        guard unsafe socketpair(AF_UNIX, type, 0, &others) == 0 else {
            let number = errno
            for socket in sockets { close(socket) }
            throw Self.failure(number)
        }
        input = sockets[0]
        isOfSandbox = false
        let started = DispatchSemaphore(value: 0)
        let problem = Mutex<Int32>(0)
        let (theirInput, output, theirOutput) = (sockets[1], others[0], others[1])
        // The kernel ends the program when the thread that started it ends, so this thread waits.
        DispatchQueue(label: "countersign.datachannel.in").async { [self] in
            let result = Self.spawn(path, arguments, input: theirInput, output: theirOutput)
            close(theirInput)
            close(theirOutput)
            if result > 0 {
                process.withLock { $0 = result }
            } else {
                problem.withLock { $0 = -result }
            }
            started.signal()
            guard result > 0 else {
                close(output)
                return
            }
            Self.read(output, onLine)
            close(output)
            // A program that has closed its output may still run.
            kill()
            reap(result)
            onEnd()
        }
        started.wait()
        let number = problem.withLock { $0 }
        guard number == 0 else { throw Self.failure(number) }
    }

    deinit { close(input) }

    private static func failure(_ number: Int32) -> ChannelError {
        guard number != EKEYREJECTED else {
            return .missingProgram(
                "\(ChannelProgram.name) was replaced after the agent started",
                hint: "start the agent again, if you replaced it")
        }
        return .missingProgram(
            "\(ChannelProgram.name) cannot be started: \(unsafe String(cString: strerror(number)))",
            hint: "see Docs/datachannel-stdio.md")
    }

    /// Returns the process id, or a negative error number.
    static func spawn(
        _ path: String, _ arguments: [String], input: Int32, output: Int32
    ) -> Int32 {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var words = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var nothing: [UnsafeMutablePointer<CChar>?] = unsafe [nil]
        var process: pid_t = 0
        let status = unsafe posix_spawn(
            &process, path, &actions, &attributes, &words, &nothing)
        return status == 0 ? process : -status
    }

    private static func read(_ output: Int32, _ onLine: ([UInt8]) -> Void) {
        var pending: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = unsafe Glibc.read(output, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            var rest = part[..<count]
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                onLine(pending + rest[..<end])
                pending = []
                rest = rest[(end + 1)...]
            }
            pending += rest
            // The program writes no longer line.
            if pending.count > lineBytesMax { return }
        }
    }

    private func reap(_ number: pid_t) {
        var information = unsafe siginfo_t()
        while unsafe waitid(P_PID, id_t(number), &information, WEXITED | WNOWAIT) != 0,
            errno == EINTR
        {}
        process.withLock { process in
            process = nil
            waitpid(number, nil, 0)
        }
    }

    /// Writes a line after all earlier ones; false if the program does not read any more.
    func write(_ line: [UInt8]) async -> Bool {
        await withCheckedContinuation { wakes in
            writing.async { wakes.resume(returning: self.writeNow(line + [UInt8(ascii: "\n")])) }
        }
    }

    private func writeNow(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { raw in
                unsafe send(input, raw.baseAddress, raw.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Closes the standard input of the program, which then ends; pending writes return false.
    func endInput() {
        // In a sandbox, one socket has both directions, and the last output is still read.
        shutdown(input, Int32(isOfSandbox ? SHUT_WR : SHUT_RDWR))
    }

    /// Kills the program if it is running.
    func kill() {
        guard isOfSandbox else {
            process.withLock { process in
                // After the process was reaped, its id may belong to another process.
                if let process { _ = Glibc.kill(process, SIGKILL) }
            }
            return
        }
        let number = process.withLock { process in
            defer { process = nil }
            return process
        }
        if let number { SandboxProgram.endChannel(number) }
    }
}

/// IP addresses as text.
enum AddressText {
    /// Returns true if a text is an IPv4 address.
    static func isIPv4(_ text: String) -> Bool {
        var address = in_addr()
        return unsafe inet_pton(AF_INET, text, &address) == 1
    }

    /// Returns true if a text is an IPv6 address.
    static func isIPv6(_ text: String) -> Bool {
        var address = in6_addr()
        return unsafe inet_pton(AF_INET6, text, &address) == 1
    }
}
