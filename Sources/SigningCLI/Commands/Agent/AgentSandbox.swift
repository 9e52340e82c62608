// SPDX-License-Identifier: Apache-2.0

import BuiltInProtocols
import Glibc
import NIP46
import PostgresLog
import Sandbox
import SigningCodecs
import SigningFiles
import SigningNetwork
import SigningService
import SigningStorage
import SigningTerminal
import SigningVault
import Socket

/// The sandbox of an agent, which limits a compromised agent to the files and networks that it
/// needs.
///
/// It starts no programs but those named here and reads no files of its user outside its home. It
/// uses networks only for nodes, relays, browsers, Liquid Auth or a shared record.
enum AgentSandbox {
    /// Enters the sandbox; called in the first thread, before any other thread starts.
    static func enter(
        for home: OpenHome, at place: SocketPlace, starting program: NamedProgram?,
        keeping channel: NamedProgram?, _ invocation: Invocation
    ) -> SandboxState {
        // The relay settings are verified when the vault is unlocked. Here only the sandbox depends
        // on them: a socket behind a proxy uses a port of this machine.
        let hasProxy = (try? RelayProxy(in: home.vault)) ?? nil != nil
        let listens =
            hasProxy
            || [AgentWeb.option, AgentMetricsPort.option].contains {
                invocation.arguments.has($0.name)
            }
        let records = try? home.vault.transportRecords(of: BunkerConnection.transport)
        // A record that cannot be read is reported later, when it is opened.
        let logs = logs(of: home)
        if !logs.isEmpty { PostgresLibrary.load() }
        let networks =
            !NEARNodes.addresses(invocation).isEmpty
            || !AlgorandNodes.addresses(invocation).isEmpty || records?.isEmpty == false
            || (try? AddedNetworks(in: home.vault))?.list.isEmpty == false
            || listens || channel != nil || !logs.isEmpty
        // The sandbox allows no library to load afterwards.
        if networks { NetworkLibraries.load() }
        return Sandbox.enter(
            places(for: home, at: place, hasNetworks: networks, logs.flatMap(\.files), invocation),
            hasNetworks: networks, listens: listens, hidesMemory: !ProcessHardening.allowsDumps,
            program: program, channel: channel)
    }

    /// The addresses of the shared records: that of the home and those of its teams.
    private static func logs(of home: OpenHome) -> [SharedLogAddress] {
        [try? home.sharedLog()].compactMap { $0 ?? nil }
            + home.teams().open.map(\.sharing.address)
    }

    /// Refuses a shared record that the sandbox would make unreachable.
    static func checkReaches(_ home: OpenHome) throws {
        guard (try? home.sharedLog())?.usesSockets == true else { return }
        throw CLIError(
            "the address of the shared record is a Unix socket, which an agent cannot open",
            hint: "give the network address of the server: countersign ledger address ADDRESS")
    }

    private static func places(
        for home: OpenHome, at place: SocketPlace, hasNetworks: Bool, _ files: [String],
        _ invocation: Invocation
    ) -> [SandboxPlace] {
        // A database may be a symbolic link; SQLite keeps its other files beside the target.
        let databases = [home.home.vaultPath, home.home.ledgerPath].compactMap(realFolder)
        var own = Set([home.home.path] + databases)
        var made: [String] = []
        if invocation.arguments.has("--drop-box"),
            let runtime = invocation.environment["XDG_RUNTIME_DIR"]
        {
            made += ["\(runtime)/countersign", "\(runtime)/countersign/pb"]
        }
        // A sandbox rule needs an existing path. The code that uses these folders checks who can
        // read them.
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

    /// Libraries, files that resolve host and user names, time zones, and kernel data about
    /// clients.
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
    /// The library as JSON, for the status of the agent.
    var json: JSON {
        ["name": .string(name), "loaded": .bool(isLoaded), "purpose": .string(purpose)]
    }
}
