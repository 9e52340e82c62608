// SPDX-License-Identifier: Apache-2.0

import Glibc
import PostgresLog
import Sandbox
import SigningCodecs
import SigningNetwork
import SigningService
import SigningStorage
import SigningTerminal
import Socket

/// What an agent may touch once it serves.
///
/// The rest of the machine is out of its reach, whatever a client makes of it: it starts no
/// programs, reads nothing of its user's but its own home, and talks to networks only where it was
/// given nodes, where clients come over relays, or where browsers do, or for Liquid Auth.
enum AgentSandbox {
    /// Enters it; in the first thread, before anything has started another.
    static func enter(
        for home: OpenHome, at place: SocketPlace, starting program: NamedProgram?,
        keeping channel: NamedProgram?, _ invocation: Invocation
    ) -> SandboxState {
        // What is told of clients over relays is checked when the vault is unlocked; here nothing
        // but the sandbox depends on it.
        let listens = invocation.arguments.has(AgentWeb.option.name)
        let records = try? home.vault.transportRecords(of: BunkerConnection.transport)
        // A record that cannot be read is told of where it is opened.
        let logs = logs(of: home)
        if !logs.isEmpty { PostgresLibrary.load() }
        let networks =
            !NEARNodes.addresses(invocation).isEmpty
            || !AlgorandNodes.addresses(invocation).isEmpty || records?.isEmpty == false
            || listens || channel != nil || !logs.isEmpty
        // No library comes in afterwards.
        if networks { NetworkLibraries.load() }
        return Sandbox.enter(
            places(for: home, at: place, hasNetworks: networks, logs.flatMap(\.files), invocation),
            hasNetworks: networks, listens: listens, hidesMemory: !ProcessHardening.allowsDumps,
            program: program, channel: channel)
    }

    /// Where the records are that are shared: that of the home, those of the teams it joined.
    private static func logs(of home: OpenHome) -> [PostgresAddress] {
        [try? home.sharedLog()].compactMap { $0 ?? nil }
            + home.teams().open.map(\.sharing.address)
    }

    /// Refuses a record that an agent could not reach from inside.
    static func checkReaches(_ home: OpenHome) throws(CLIError) {
        guard (try? home.sharedLog())?.usesSockets == true else { return }
        throw CLIError(
            "the shared record is reached by a Unix socket, which an agent cannot open",
            hint: "name the server's address: countersign ledger address ADDRESS")
    }

    private static func places(
        for home: OpenHome, at place: SocketPlace, hasNetworks: Bool, _ files: [String],
        _ invocation: Invocation
    ) -> [SandboxPlace] {
        // A database may be a link; what SQLite keeps beside it lies where it really is.
        let databases = [home.home.vaultPath, home.home.ledgerPath].compactMap(realFolder)
        var own = Set([home.home.path] + databases)
        var made: [String] = []
        if invocation.arguments.has("--drop-box"),
            let runtime = invocation.environment["XDG_RUNTIME_DIR"]
        {
            made += ["\(runtime)/countersign", "\(runtime)/countersign/pb"]
        }
        // A rule is for what is there; who may look into them is looked at where they are used.
        for folder in made { _ = unsafe mkdir(folder, 0o700) }
        own.formUnion(made)
        var read = system + files
        read += [invocation.environment["CREDENTIALS_DIRECTORY"]].compactMap { $0 }
        if hasNetworks {
            read += ["SSL_CERT_FILE", "SSL_CERT_DIR"].compactMap { invocation.environment[$0] }
        }
        let terminal = Terminal()?.devicePath
        return own.sorted().map { SandboxPlace($0, .changes) }
            + [SandboxPlace(place.folder, .movesSockets)]
            + read.map { SandboxPlace($0, .reads) }
            + (devices + [terminal].compactMap { $0 }).map { SandboxPlace($0, .usesDevice) }
    }

    /// Libraries, names of hosts and users, zones of time, and what the kernel tells of clients.
    private static let system = [
        "/usr", "/lib", "/lib64", "/etc", "/proc", "/run/systemd/resolve", "/run/resolvconf",
        "/dev/urandom", "/dev/random",
    ]
    private static let devices = ["/dev/tty", "/dev/null"]

    private static func realFolder(_ path: String) -> String? {
        guard let real = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(real) }
        let text = unsafe String(cString: real)
        return text.lastIndex(of: "/").map { String(text[..<$0]) }
    }
}

extension RuntimeLibrary {
    /// The library in the agent's status; an agent in its sandbox loads no more libraries.
    var json: JSON {
        ["name": .string(name), "loaded": .bool(isLoaded), "purpose": .string(purpose)]
    }
}
