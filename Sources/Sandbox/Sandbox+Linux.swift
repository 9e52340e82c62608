// SPDX-License-Identifier: Apache-2.0

internal import CSandbox
internal import Glibc
internal import Synchronization

/// Confines a process that serves untrusted clients: Landlock for files and seccomp for system
/// calls, as far as the kernel supports them, on every thread and irrevocably.
package enum Sandbox {
    private static let entered = Mutex<SandboxState?>(nil)

    /// The confinement of this process; nil if it entered no sandbox.
    package static var state: SandboxState? { entered.withLock { $0 } }

    /// Enters the sandbox; call it in the first thread, before other threads exist.
    ///
    /// From then on only `places` can be accessed; a place that does not exist yet stays
    /// inaccessible. The process cannot connect to Unix sockets or load libraries, and without
    /// `hasNetworks` it cannot create sockets. A helper outside of the sandbox can start `program`
    /// once at a time, and several of `channel`, one for each channel. `hidesMemory` is true if the
    /// process has forbidden dumps of its memory.
    package static func enter(
        _ places: [SandboxPlace], hasNetworks: Bool, listens: Bool = false, hidesMemory: Bool,
        program: NamedProgram? = nil, channel: NamedProgram? = nil
    ) -> SandboxState {
        // Landlock confines the calling thread and threads that it starts.
        let isAlone = csandbox_thread_count() == 1
        let helper = isAlone ? Helper(program: program, channel: channel) : nil
        Helper.shared.withLock { $0 = helper }
        let privileges = csandbox_forbid_new_privileges()
        let version = csandbox_landlock_version()
        let files = isAlone ? bindFiles(places, version, listens: listens, speaks: false) : -EBUSY
        let calls = csandbox_filter_calls(
            hasNetworks ? csandbox_serves_networks : csandbox_serves, false)
        let bound = calls == 0
        let state = SandboxState(parts: [
            .init(
                "files", files == 0 ? "Landlock \(version)" : nil,
                problem: version == 0 ? "the kernel does not support Landlock" : text(files)),
            .init("system calls", bound ? "seccomp" : nil, problem: text(calls)),
            .init("other programs' sockets", bound ? "none" : nil, problem: text(calls)),
            .init("new code", bound ? "none" : nil, problem: text(calls)),
            .init(
                "networks", bound ? hasNetworks ? "reached" : "none" : nil, problem: text(calls)),
            .init("new privileges", privileges == 0 ? "none" : nil, problem: text(privileges)),
            .init(
                "dumps of memory", hidesMemory ? "none" : nil, problem: "the kernel makes them"),
            .init(
                "programs of clients", helper == nil ? nil : "read by a helper process",
                problem: "the helper cannot be started"),
        ])
        entered.withLock { $0 = state }
        return state
    }

    /// Confines a process that only reads the system's files and uses Unix sockets.
    static func enterToSpeak() {
        _ = csandbox_forbid_new_privileges()
        let version = csandbox_landlock_version()
        let places =
            ["/usr", "/lib", "/lib64", "/etc", "/proc"].map { SandboxPlace($0, .reads) }
            + [SandboxPlace("/dev/null", .usesDevice)]
        _ = bindFiles(places, version, listens: false, speaks: true)
        _ = csandbox_filter_calls(csandbox_speaks, false)
    }

    private static func bindFiles(
        _ places: [SandboxPlace], _ version: Int32, listens: Bool, speaks: Bool
    ) -> Int32 {
        guard version > 0 else { return -ENOSYS }
        let rules = csandbox_rules_begin(version, listens, speaks)
        guard rules >= 0 else { return rules }
        for place in places {
            let access =
                switch place.access {
                case .reads: csandbox_reads
                case .changes: csandbox_changes
                case .usesDevice: csandbox_uses_device
                case .movesSockets: csandbox_moves_sockets
                }
            let code = unsafe csandbox_rules_add(rules, version, place.path, access)
            // A path that does not exist needs no rule.
            guard code == 0 || code == -ENOENT || code == -ENOTDIR || code == -EACCES else {
                close(rules)
                return code
            }
        }
        return csandbox_rules_apply(rules)
    }

    private static func text(_ code: Int32) -> String {
        code == -EBUSY
            ? "the process already had another thread" : unsafe String(cString: strerror(-code))
    }
}
