// SPDX-License-Identifier: Apache-2.0

internal import CSandbox
internal import Glibc
internal import Synchronization

/// A program that its owner named, and what it was then.
package struct NamedProgram: Hashable, Sendable {
    let path: String
    let digest: [UInt8]

    /// Names it by its whole path and its SHA-256 of 32 bytes; nil where that has another length.
    package init?(_ path: String, digest: [UInt8]) {
        guard digest.count == ProgramDigest.count else { return nil }
        self.path = path
        self.digest = digest
    }
}

/// The process outside of the sandbox, which holds no secret.
final class Helper: Sendable {
    /// The one of this process, where it has entered a sandbox.
    static let shared = Mutex<Helper?>(nil)

    private let socket: Int32
    /// How often it was asked; one question at a time.
    private let count = Mutex<UInt32>(0)

    /// Forks it; what it may start is settled then.
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

/// What processes run.
package enum Executables {
    /// Opens what a process runs, which stays what it is whatever the process runs next.
    ///
    /// Nil where the kernel does not give it, with `errno` set. It may be one that has a name and
    /// cannot be read (`O_PATH`). The caller closes it.
    package static func open(of process: Int32) -> Int32? {
        let helper = Helper.shared.withLock { $0 }
        let file = helper?.executable(of: process) ?? csandbox_open_executable(process)
        guard file >= 0 else {
            errno = -file
            return nil
        }
        return file
    }

    /// The path of a descriptor, as the kernel tells it (`(deleted)` at its end where it is gone).
    package static func path(of file: Int32) -> String? {
        var bytes = [Int8](repeating: 0, count: pathBytesMax)
        let count = unsafe readlink("/proc/self/fd/\(file)", &bytes, bytes.count)
        guard count > 0, count < bytes.count else { return nil }
        return String(validating: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static let pathBytesMax = 4_096
}

/// The programs that a sandbox was entered with.
package enum SandboxProgram {
    /// Starts it where it is, to the byte, what was named, and it and every folder above it are
    /// for its owner or the system to change; what was started before is ended.
    ///
    /// It gives the socket of its standard input and output, which the caller closes; nil with
    /// `errno` set otherwise, to `EKEYREJECTED` where it is another by now.
    package static func run() -> Int32? {
        opened(Helper.shared.withLock { $0 }?.run() ?? -ENOENT)
    }

    /// Ends what was started, if it has not ended by itself.
    package static func end() { _ = Helper.shared.withLock { $0 }?.end() }

    /// How many programs that keep a channel run at one time.
    package static let channelsMax = Int(csandbox_channels_max)

    /// Starts what keeps one channel, in the same way but without any environment.
    ///
    /// It gives the socket of its standard input and output, which the caller closes, and its
    /// number; nil with `errno` set otherwise, to `EAGAIN` where there are `channelsMax`.
    package static func runChannel() -> (socket: Int32, process: Int32)? {
        var process: Int32 = 0
        let helper = Helper.shared.withLock { $0 }
        return opened(helper?.runChannel(&process) ?? -ENOENT).map { ($0, process) }
    }

    /// Ends one of those, if it has not ended by itself.
    package static func endChannel(_ process: Int32) {
        _ = Helper.shared.withLock { $0 }?.endChannel(process)
    }

    /// Opens a program outside of any sandbox, where it could be run in the same way.
    package static func look(at path: String) -> Int32? {
        opened(unsafe csandbox_open_program(path))
    }

    private static func opened(_ file: Int32) -> Int32? {
        guard file >= 0 else {
            errno = -file
            return nil
        }
        return file
    }
}
