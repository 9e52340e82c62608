// SPDX-License-Identifier: Apache-2.0

import BuiltInProtocols
import Glibc
import LiquidAuth
import Relays
import SigningAgent
import SigningCore
import SigningCrypto
import SigningNetwork
import SigningService
import SigningStorage
import SigningVault
import SigningWires
import Socket

/// The steps of `countersign agent`, before and while it serves in this process.
///
/// `AgentStarting` starts it in another process.
enum AgentRun {
    /// The service manager that waits for the agent; nil if none does.
    static func manager(_ console: Console) -> ServiceManager? {
        do throws(ServiceError) { return try ServiceManager.inherited() } catch {
            console.warn(VisibleText.escaped(error.message), hint: error.hint ?? "")
            return nil
        }
    }

    /// The socket of the agent: one that the service manager passed, or a new one.
    ///
    /// Without a runtime folder, as after `su` or in a container, it is in the home.
    static func place(_ invocation: Invocation, for home: String) throws -> SocketPlace {
        let path = invocation.arguments.value("--socket")
        guard path?.isEmpty != true else {
            throw CLIError.usage(
                "--socket is empty", hint: "write --socket ~/.countersign/agent.sock")
        }
        do throws(TransportError) {
            if let given = try SocketAddress.inherited() { return try SocketPlace(given, in: home) }
            let runtime = invocation.environment["XDG_RUNTIME_DIR"] ?? ""
            let usual = runtime.isEmpty ? home : "\(runtime)/countersign"
            return try SocketPlace(SocketAddress(path: path ?? "\(usual)/agent.sock"), in: home)
        } catch {
            throw CLIError(error.message, hint: error.hint)
        }
    }

    /// Refuses node addresses that are not valid.
    static func check(
        _ couriers: [any Courier], _ invocation: Invocation, and added: AddedNetworks
    ) throws {
        try NEARNodes.check(invocation, and: added)
        if let problem = couriers.lazy.compactMap(\.problem).first {
            throw CLIError(problem.text, hint: problem.hint)
        }
    }

    /// The resources of the API besides requests.
    static func resources(
        for home: OpenHome, _ signer: LocalSigner, _ lock: AgentLock, _ queue: QuestionQueue,
        _ relays: RelayTransport, _ service: LiquidService?, _ keepers: AgentKeepers,
        _ invocation: Invocation, remembering terminalMinutes: Int
    ) -> [any SocketResource] {
        let setting = AgentRoute.setting(invocation, wires: home.wireNames)
        let count = service.map { service in { @Sendable in service.liveCount } }
        return Agent.resources(
            of: OwnerCheck(of: home, by: signer), in: home, by: signer, asking: queue,
            reportingBy: keepers.events, connecting: service, remembering: terminalMinutes
        ) { lock.lock() }
            + [
                StatusResource(
                    of: home, by: signer, asking: queue, setting, keepers, version: .ofProgram,
                    relays: { (relays.reports.map(\.json), relays.unansweredCount) },
                    channelCount: count, libraries: { RuntimeLibrary.all.map(\.json) })
            ]
    }

    static func transport(
        in place: SocketPlace, for home: OpenHome, _ signer: LocalSigner,
        _ relays: RelayTransport, _ queue: QuestionQueue, _ resources: [any SocketResource]
    ) -> SocketTransport {
        let metrics = AgentMetrics(of: home, by: signer, asking: queue)
        return SocketTransport(
            in: place, limits: limits, wires: home.wireNames,
            frameBytesMax: home.frameBytesMax,
            readiness: { Agent.obstacle(in: home, signer) },
            moreMetrics: {
                await metrics.text()
                    + RelayReport.metrics(relays.reports, unansweredCount: relays.unansweredCount)
            }, resources: resources,
            authenticator: TokenAuthenticator(of: signer), on: BlockingThreads.shared)
    }

    /// All programs of one user share these limits, and one program may open many sockets.
    private static let limits = TransportLimits(
        connectionsMax: 1_000, framesMax: 512, framesPerPeerMax: 256, drainSecondsMax: 5)

    static func unlock(_ signer: LocalSigner, _ invocation: Invocation) throws {
        let passphrase = try invocation.passphrase()
        for attempt in 1...passphrase.attemptsMax {
            let secret = try passphrase.read(to: "unlock the vault", isAgain: attempt > 1)
            do throws(ServiceError) {
                return try signer.unlock(passphrase: secret)
            } catch {
                guard attempt < passphrase.attemptsMax,
                    error == VaultError.wrongPassphrase.explained
                else { throw error }
            }
        }
    }

    /// Warns that clients over relays get no answer, as a locked vault cannot decrypt envelopes.
    static func reportUnanswered(_ relays: RelayTransport, _ console: Console) {
        let count = relays.unansweredCount
        guard count > 0 else { return }
        let clients = count == 1 ? "1 connection" : "\(count) connections"
        console.warn(
            "the vault is locked: clients over relays get no answer (\(clients))",
            hint: "countersign agent unlock")
    }

    /// Announces the socket to other commands while the agent accepts requests, and to the service
    /// manager.
    static func note(
        _ news: Result<TransportState, TransportError>, _ lockFile: AgentLockFile, at path: String,
        _ manager: ServiceManager?, _ console: Console
    ) {
        switch news {
        case .success(.open):
            defer { manager?.reportReady() }
            do throws(ServiceError) { try lockFile.announce(socket: path) } catch {
                console.warn(
                    error.message,
                    hint: error.hint ?? "other commands work without this agent")
            }
        case .success: lockFile.withdraw()
        case .failure: break
        }
    }

    /// Ends the process when its home or lock file was moved or removed.
    static func endOnceMissing(
        _ lockFile: AgentLockFile, _ watch: HomeWatch, _ console: Console
    ) async {
        while !Task.isCancelled {
            let seen = watch.revision
            guard let missing = lockFile.missing else {
                await watch.wait(after: seen)
                continue
            }
            console.warn(
                "the agent ends: \(missing) was moved or removed, so no command can find it",
                hint: "start the agent again; if the home was moved, with its new path")
            kill(getpid(), SIGTERM)
            return
        }
    }

    /// Ends the process when its vault is locked, no question waits, and its program file was
    /// replaced; the service manager starts the new version at the next use.
    static func endOnceReplaced(
        _ program: ProgramFile, _ home: OpenHome, _ queue: QuestionQueue, _ watch: HomeWatch,
        _ console: Console
    ) async {
        while !Task.isCancelled {
            let seen = watch.revision
            let isReplaced = program.isReplaced
            guard isReplaced, !home.vault.isUnlocked, queue.isEmpty else {
                // The end of a question is not always a change of the home.
                await watch.wait(after: seen, until: isReplaced ? .now + questionPause : nil)
                continue
            }
            console.note("the agent ends: another version of the program was installed")
            kill(getpid(), SIGTERM)
            return
        }
    }

    private static let questionPause = Duration.seconds(5)

    static func report(_ news: Result<TransportState, TransportError>, _ console: Console) {
        switch news {
        case .success(.open(let place)):
            console.note("the agent answers at \(VisibleText.escaped(place))")
        case .success(.draining): console.note("the agent stops")
        case .success(.closed): console.note("the agent has stopped; the vault is locked")
        case .failure(let error): console.warn(error.message, hint: error.hint)
        }
    }
}
