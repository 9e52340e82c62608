// SPDX-License-Identifier: Apache-2.0

import AllAdapters
import SigningAgent
import SigningCore
import SigningCrypto
import SigningService
import SigningStorage
import Socket

extension CommandLineTool {
    static let agent = Command(
        name: "agent",
        options: [
            Option(name: "--socket", value: "PATH"), Answering.dropBoxOption, NEARNodes.option,
            AlgorandNodes.option,
        ], operands: 0...0,
        usage: """
            usage: countersign agent [OPTION...]

            options: --socket PATH, --rpc URL, --algod URL, --drop-box

            Asks for the passphrase once and answers requests of your programs until it is stopped
            (Ctrl-C, SIGTERM): HTTP/1.1 on the Unix socket
            $XDG_RUNTIME_DIR/countersign/agent.sock, or PATH, in a folder that is yours alone. What
            a person must decide it asks on its own terminal, and of its owner over the socket.
            The other options are those of "handle".

            example: countersign agent --socket ~/.countersign/agent.sock
            """
    ) { invocation throws(CLIError) in
        ProcessHardening.settleIn()
        let home = try invocation.workspace().open
        let (seat, path) = try (AgentRun.seat(home), AgentRun.path(invocation))
        let schemas = home.adapters.schemas
        let board = QuestionBoard(schemas: schemas, beside: [AgentApproval(schemas: schemas)])
        let couriers = try invocation.couriers()
        let signer = try CLIError.wrapping { () throws(ServiceError) in
            try LocalSigner(
                of: home, asking: board, couriers: couriers,
                runtimeFolder: invocation.environment["XDG_RUNTIME_DIR"])
        }
        let transport = try AgentRun.transport(at: path, for: home, signer, board)
        try AgentRun.unlock(signer, invocation)
        if let note = home.policyNote() { invocation.console.warn(note.state, hint: note.mend) }
        do throws(ServiceError) {
            let console = invocation.console
            try await StopSignals.run { () throws(ServiceError) in
                try await Agent(of: home, by: signer).run(transport) { news in
                    AgentRun.note(news, seat, at: path, console)
                    AgentRun.tell(news, console)
                }
            }
        } catch {
            throw CLIError(error)
        }
        return .done
    }
}

/// What the command does before and while it serves.
private enum AgentRun {
    static func seat(_ home: OpenHome) throws(CLIError) -> AgentSeat {
        try CLIError.wrapping { () throws(ServiceError) in try AgentSeat(of: home) }
    }

    static func path(_ invocation: Invocation) throws(CLIError) -> String {
        if let path = invocation.arguments.value("--socket") { return path }
        guard let runtime = invocation.environment["XDG_RUNTIME_DIR"] else {
            throw CLIError(
                "there is no folder for the socket",
                hint: "set XDG_RUNTIME_DIR, or give --socket PATH")
        }
        return "\(runtime)/countersign/agent.sock"
    }

    static func transport(
        at path: String, for home: OpenHome, _ signer: LocalSigner, _ board: QuestionBoard
    ) throws(CLIError) -> SocketTransport {
        do throws(TransportError) {
            return try SocketTransport(
                at: path, limits: limits, wires: home.wireNames,
                frameBytesMax: home.frameBytesMax,
                readiness: { Agent.obstacle(in: home, signer) },
                resources: Agent.resources(
                    of: OwnerCheck(of: home, by: signer), in: home, by: signer, asking: board
                ) { Agent.lock(home, signer) })
        } catch {
            throw CLIError(error.message, hint: error.hint)
        }
    }

    /// All programs of one user share it, and one of them may be many at a time.
    private static let limits = TransportLimits(
        connectionsMax: 1_000, framesMax: 512, framesPerPeerMax: 256, drainSecondsMax: 5)

    static func unlock(_ signer: LocalSigner, _ invocation: Invocation) throws(CLIError) {
        let passphrase = try invocation.passphrase()
        for attempt in 1...passphrase.attemptsMax {
            let secret = try passphrase.read(to: "unlock the vault", isAgain: attempt > 1)
            do throws(ServiceError) {
                return try signer.unlock(passphrase: secret)
            } catch {
                guard attempt < passphrase.attemptsMax,
                    error == VaultError.wrongPassphrase.explained
                else {
                    throw CLIError(error)
                }
            }
        }
    }

    /// Lets other commands find it, as long as it answers.
    static func note(
        _ news: Result<TransportState, TransportError>, _ seat: AgentSeat, at path: String,
        _ console: Console
    ) {
        switch news {
        case .success(.open):
            do throws(ServiceError) { try seat.announce(socket: path) } catch {
                console.warn(error.message, hint: error.hint ?? "other commands work alone")
            }
        case .success: seat.withdraw()
        case .failure: break
        }
    }

    static func tell(_ news: Result<TransportState, TransportError>, _ console: Console) {
        switch news {
        case .success(.open(let place)):
            console.note("the agent answers at \(VisibleText.escaped(place))")
        case .success(.draining): console.note("the agent stops")
        case .success(.closed): console.note("the agent has stopped; the vault is locked")
        case .failure(let error): console.warn(error.message, hint: error.hint)
        }
    }
}
