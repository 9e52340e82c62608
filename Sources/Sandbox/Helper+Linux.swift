// SPDX-License-Identifier: Apache-2.0

internal import CSandbox
internal import Glibc
internal import Synchronization

/// A program that its owner named, with the digest of its file at that time.
package struct NamedProgram: Hashable, Sendable {
    let path: String
    let digest: [UInt8]

    /// Creates the value from an absolute path and a SHA-256 digest; nil if the digest is not 32
    /// bytes long.
    package init?(_ path: String, digest: [UInt8]) {
        guard digest.count == ProgramDigest.count else { return nil }
        self.path = path
        self.digest = digest
    }
}

/// The helper process outside of the sandbox, which contains no secret.
final class Helper: Sendable {
    /// The helper of this process; nil outside of a sandbox.
    static let shared = Mutex<Helper?>(nil)

    private let socket: Int32
    /// The number of requests sent; one request at a time.
    private let count = Mutex<UInt32>(0)

    /// Forks the helper; the programs that it may start are fixed from then on.
    init?(program: NamedProgram?, channel: NamedProgram?) {
        let socket = Self.start(program, channel)
        guard socket >= 0 else { return nil }
        self.socket = socket
    }

    deinit { close(socket) }

    private static func start(_ program: NamedProgram?, _ channel: NamedProgram?) -> Int32 {
        let none = [UInt8](repeating: 0, count: ProgramDigest.count)
        return unsafe csandbox_helper_start(
            program?.path, program?.digest ?? none, channel?.path, channel?.digest ?? none
        ) { file, digest in
            guard let found = ProgramDigest.of(file) else { return false }
            for (place, byte) in found.enumerated() { unsafe digest[place] = byte }
            return true
        }
    }

    func executable(of process: Int32) -> Int32 {
        ask { csandbox_helper_executable(socket, $0, process) }
    }

    func run() -> Int32 { ask { csandbox_helper_run(socket, $0) } }

    func end() -> Int32 { ask { csandbox_helper_end(socket, $0) } }

    func runChannel(_ process: inout Int32) -> Int32 {
        ask { unsafe csandbox_helper_channel(socket, $0, &process) }
    }

    func endChannel(_ process: Int32) -> Int32 {
        ask { csandbox_helper_channel_end(socket, $0, process) }
    }

    private func ask(_ body: (_ number: UInt32) -> Int32) -> Int32 {
        count.withLock { count in
            count &+= 1
            return body(count)
        }
    }
}

/// The executables of processes.
package enum Executables {
    /// Opens the executable of a process; the descriptor stays valid if the process runs another
    /// one.
    ///
    /// Returns nil and sets `errno` if the kernel refuses. The descriptor may only allow to read
    /// the path and not the content (`O_PATH`). The caller closes it.
    package static func open(of process: Int32) -> Int32? {
        let helper = Helper.shared.withLock { $0 }
        let file = helper?.executable(of: process) ?? csandbox_open_executable(process)
        guard file >= 0 else {
            errno = -file
            return nil
        }
        return file
    }

    /// The path of a descriptor according to the kernel, with `(deleted)` at its end if the file
    /// was deleted.
    package static func path(of file: Int32) -> String? {
        var bytes = [Int8](repeating: 0, count: pathBytesMax)
        let count = unsafe readlink("/proc/self/fd/\(file)", &bytes, bytes.count)
        guard count > 0, count < bytes.count else { return nil }
        return String(validating: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static let pathBytesMax = 4_096
}

/// The programs that the sandbox was set up with.
package enum SandboxProgram {
    /// Starts the named program, and ends one that was started before.
    ///
    /// The file must be unchanged to the byte. Only its owner or the system may be able to change
    /// it and the folders above it. Returns the socket of its standard input and output, which the
    /// caller closes. Returns nil and sets `errno` otherwise, to `EKEYREJECTED` if the file has
    /// changed.
    package static func run() -> Int32? {
        opened(Helper.shared.withLock { $0 }?.run() ?? -ENOENT)
    }

    /// Ends the started program if it still runs.
    package static func end() { _ = Helper.shared.withLock { $0 }?.end() }

    /// The most channel programs that run at one time.
    package static let channelsMax = Int(csandbox_channels_max)

    /// Starts a program for one channel in the same way, but without environment variables.
    ///
    /// Returns the socket of its standard input and output, which the caller closes, and its
    /// process id. Returns nil and sets `errno` otherwise, to `EAGAIN` if `channelsMax` programs
    /// run.
    package static func runChannel() -> (socket: Int32, process: Int32)? {
        var process: Int32 = 0
        let helper = Helper.shared.withLock { $0 }
        return opened(helper?.runChannel(&process) ?? -ENOENT).map { ($0, process) }
    }

    /// Ends a channel program if it still runs.
    package static func endChannel(_ process: Int32) {
        _ = Helper.shared.withLock { $0 }?.endChannel(process)
    }

    /// Opens a program outside of any sandbox, with the checks of `run`.
    package static func look(at path: String) -> Int32? {
        opened(unsafe csandbox_open_program(path))
    }

    /// Runs a program without a shell for at most `seconds`, or until the other end of `line`
    /// closes; its environment has `news` and `count`.
    ///
    /// Returns its exit status, 128 and more for a signal, or the negative number of an error:
    /// `ETIME` if it was ended, or an error of `look`.
    package static func runHook(
        _ program: String, _ news: String, _ count: UInt16, seconds: Int32, line: HelperLine
    ) -> Int32 {
        unsafe csandbox_hook_run(program, news, Int32(count), seconds, line.socket)
    }

    private static func opened(_ file: Int32) -> Int32? {
        guard file >= 0 else {
            errno = -file
            return nil
        }
        return file
    }
}
