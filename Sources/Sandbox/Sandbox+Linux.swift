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
    /// No Unix socket can be connected and no library loaded any more, and without `hasNetworks`
    /// no socket be made at all. `program` and `channel` are those that may be started afterwards,
    /// by a helper that stays outside: one of the first, some of the second, which keep a channel
    /// each. `hidesMemory` says whether the process has forbidden dumps of it.
    package static func enter(
        _ places: [SandboxPlace], hasNetworks: Bool, listens: Bool = false, hidesMemory: Bool,
        program: NamedProgram? = nil, channel: NamedProgram? = nil
    ) -> SandboxState {
        // Landlock binds the thread that asks for it and those that it starts.
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
                problem: version == 0 ? "the kernel has no Landlock" : text(files)),
            .init("system calls", bound ? "seccomp" : nil, problem: text(calls)),
            .init("other programs' sockets", bound ? "none" : nil, problem: text(calls)),
            .init("new code", bound ? "none" : nil, problem: text(calls)),
            .init(
                "networks", bound ? hasNetworks ? "reached" : "none" : nil, problem: text(calls)),
            .init("new privileges", privileges == 0 ? "none" : nil, problem: text(privileges)),
            .init(
                "dumps of memory", hidesMemory ? "none" : nil, problem: "the kernel makes them"),
            .init(
                "programs of clients", helper == nil ? nil : "told by a helper",
                problem: "the helper cannot be started"),
        ])
        entered.withLock { $0 = state }
        return state
    }

    /// Binds a process that reads the system's files alone, and speaks over Unix sockets.
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
