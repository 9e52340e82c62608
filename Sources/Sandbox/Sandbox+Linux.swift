// SPDX-License-Identifier: Apache-2.0

internal import CSandbox
internal import Glibc
internal import Synchronization

/// What keeps a process that serves strangers to what it needs: Landlock for files, seccomp for
/// system calls, each as far as the kernel has it, on every thread and for good.
package enum Sandbox {
    private static let entered = Mutex<SandboxState?>(nil)

    /// What binds this process; nil where it entered no sandbox.
    package static var state: SandboxState? { entered.withLock { $0 } }

    /// Enters it, in the first thread while there is no other.
    ///
    /// `places` are all that may be touched from then on, and those that are missing stay so.
    /// Without `hasNetworks` no socket but those of this machine's files is made. `program` is the
    /// one that may be started afterwards, by a helper that stays outside. `hidesMemory` says
    /// whether the process has forbidden dumps of it.
    package static func enter(
        _ places: [SandboxPlace], hasNetworks: Bool, listens: Bool = false, hidesMemory: Bool,
        program: String? = nil
    ) -> SandboxState {
        // Landlock binds the thread that asks for it and those that it starts.
        let isAlone = csandbox_thread_count() == 1
        let helper = isAlone ? Helper(program: program) : nil
        Helper.shared.withLock { $0 = helper }
        let privileges = csandbox_forbid_new_privileges()
        let version = csandbox_landlock_version()
        let files = isAlone ? bindFiles(places, version, listens) : -EBUSY
        let calls = csandbox_filter_calls(hasNetworks, false)
        let state = SandboxState(parts: [
            .init(
                "files", files == 0 ? "Landlock \(version)" : nil,
                problem: version == 0 ? "the kernel has no Landlock" : text(files)),
            .init(
                "system calls", calls == 0 ? "seccomp" : nil,
                problem: text(calls)),
            .init(
                "networks", calls == 0 && !hasNetworks ? "none" : calls == 0 ? "reached" : nil,
                problem: text(calls)),
            .init(
                "new privileges", privileges == 0 ? "none" : nil, problem: text(privileges)),
            .init(
                "dumps of memory", hidesMemory ? "none" : nil, problem: "the kernel makes them"),
            .init(
                "programs of clients", helper == nil ? nil : "told by a helper",
                problem: "the helper cannot be started"),
        ])
        entered.withLock { $0 = state }
        return state
    }

    private static func bindFiles(
        _ places: [SandboxPlace], _ version: Int32, _ listens: Bool
    ) -> Int32 {
        guard version > 0 else { return -ENOSYS }
        let rules = csandbox_rules_begin(version, listens)
        guard rules >= 0 else { return rules }
        for place in places {
            let access =
                switch place.access {
                case .reads: csandbox_reads
                case .changes: csandbox_changes
                case .usesDevice: csandbox_uses_device
                }
            let code = unsafe csandbox_rules_add(rules, version, place.path, access)
            // What is not there needs no rule.
            guard code == 0 || code == -ENOENT || code == -ENOTDIR || code == -EACCES else {
                close(rules)
                return code
            }
        }
        return csandbox_rules_apply(rules)
    }

    private static func text(_ code: Int32) -> String {
        code == -EBUSY
            ? "another thread was there before" : unsafe String(cString: strerror(-code))
    }
}

/// The process outside of the sandbox, which holds no secret.
final class Helper: Sendable {
    /// The one of this process, where it has entered a sandbox.
    static let shared = Mutex<Helper?>(nil)

    private let socket: Int32
    /// How often it was asked; one question at a time.
    private let count = Mutex<UInt32>(0)

    init?(program: String?) {
        let socket = unsafe csandbox_helper_start(program)
        guard socket >= 0 else { return nil }
        self.socket = socket
    }

    deinit { close(socket) }

    func executable(of process: Int32) -> Int32 {
        ask { csandbox_helper_executable(socket, $0, process) }
    }

    func program() -> Int32 { ask { csandbox_helper_program(socket, $0) } }

    func run() -> Int32 { ask { csandbox_helper_run(socket, $0) } }

    func end() -> Int32 { ask { csandbox_helper_end(socket, $0) } }

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

/// The one program that a sandbox was entered with.
package enum SandboxProgram {
    /// Opens it where it, and every folder above it, is for its owner or the system to change.
    ///
    /// Nil with `errno` set otherwise. The caller closes it.
    package static func open() -> Int32? { given { $0.program() } }

    /// Starts what was opened last, after it has ended what was started before.
    ///
    /// It gives the socket of its standard input and output, which the caller closes; nil with
    /// `errno` set otherwise.
    package static func run() -> Int32? { given { $0.run() } }

    /// Ends what was started, if it has not ended by itself.
    package static func end() { _ = given { $0.end() } }

    /// Opens a program outside of any sandbox, where it could be run in the same way.
    package static func look(at path: String) -> Int32? {
        opened(unsafe csandbox_open_program(path))
    }

    private static func given(_ ask: (Helper) -> Int32) -> Int32? {
        opened(Helper.shared.withLock { $0 }.map(ask) ?? -ENOENT)
    }

    private static func opened(_ file: Int32) -> Int32? {
        guard file >= 0 else {
            errno = -file
            return nil
        }
        return file
    }
}
