// SPDX-License-Identifier: Apache-2.0

import AllAdapters
import LiquidAuth
import SigningAgent
import SigningCodecs
import SigningCore
import SigningService
import SigningStorage
import SigningTerminal

/// One connection to a page, from the login to its end.
struct LiquidConnection: Sendable {
    private let plan: LiquidPlan
    private let console: Console
    private let workspace: Workspace
    private let signer: LocalSigner

    init(
        _ plan: LiquidPlan, _ invocation: Invocation, in workspace: Workspace
    ) throws(CLIError) {
        self.plan = plan
        self.workspace = workspace
        console = invocation.console
        TerminalApproval.outliveTerminal()
        let passphrase = try invocation.passphrase()
        let couriers = try invocation.couriers()
        signer = try CLIError.wrapping { () throws(ServiceError) in
            try LocalSigner(
                of: workspace.open, asking: AgentApproval(schemas: workspace.adapters.schemas),
                unlockedBy: passphrase, couriers: couriers,
                runtimeFolder: invocation.environment["XDG_RUNTIME_DIR"])
        }
        if let note = workspace.open.policyNote() { console.warn(note.state, hint: note.mend) }
    }

    func run() async throws(CLIError) -> ExitStatus {
        let result: Result<ExitStatus, CLIError> = await StopSignals.run {
            do throws(CLIError) { return .success(try await serve()) } catch {
                return .failure(error)
            }
        }
        do throws(ServiceError) { try signer.finish() } catch {
            console.complain(error.message, hint: error.hint)
        }
        return try result.get()
    }

    private func serve() async throws(CLIError) -> ExitStatus {
        // Its offer is made while the login goes on.
        let process: ChannelProcess
        do throws(ChannelError) {
            process = try ChannelProcess(
                plan.program, servers: plan.servers, addresses: plan.addresses)
        } catch {
            throw CLIError(error)
        }
        do throws(CLIError) {
            let server = try await logIn()
            console.note("logged in as \(plan.account.address) to \(plan.place)")
            guard let channel = try await meet(process, server) else {
                await process.close()
                console.note("ended here, before a channel was open")
                return .failed
            }
            console.note("open: answering what the page asks for (Ctrl-C ends it)")
            let ending = await answer(channel)
            console.note("closed: \(VisibleText.escaped(ending))")
            return .done
        } catch {
            await process.close()
            guard !Task.isCancelled else {
                console.note("ended here, before a channel was open")
                return .failed
            }
            throw error
        }
    }

    private var peer: Peer {
        let origin = plan.uri.origin
        // Without encryption nothing is proved.
        guard origin.scheme == "https" else { return Peer(door: "liquid", claim: origin.text) }
        return Peer(
            door: "liquid",
            provedServer: ProvedServer(origin: origin.text, party: origin.host.registrableDomain))
    }

    // MARK: The login

    private func logIn() async throws(CLIError) -> LiquidServer {
        let held = try LiquidCall.passkey(of: plan.account, for: plan.uri.origin, workspace)
            .map { LiquidCall.text($0.credential) }
        do throws(LiquidError) {
            let server = try LiquidServer(
                at: plan.uri, allowsInsecure: plan.allowsInsecure, authorities: plan.authorities)
            let login = LiquidLogin(at: server, for: plan.uri.requestID) { frame in
                let answer = await signer.answer(
                    Frame(bytes: frame, peer: peer), over: AdapterID("liquid"))
                guard case .message(let bytes) = answer.reply else { return nil }
                return bytes
            }
            let user = LiquidLogin.User(
                address: plan.account.address, key: plan.account.name, credential: held)
            try await logIn(user, by: login)
            return server
        } catch {
            if let cause = signer.unlockingError { throw CLIError(cause) }
            let isDenied = if case .notSigned = error { true } else { false }
            throw CLIError(
                "not logged in to \(plan.place): \(VisibleText.escaped(error.text))",
                hint: isDenied ? "see \"countersign audit list\"" : "is the URI still shown?",
                status: isDenied ? .denied : .failed)
        }
    }

    /// With the passkey that is held and that the server knows, or with a new one.
    private func logIn(
        _ user: LiquidLogin.User, by login: LiquidLogin
    ) async throws(LiquidError) {
        guard let held = user.credential else { return try await login.register(user) }
        do throws(LiquidError) {
            try await login.logIn(user, with: held)
        } catch {
            guard error == .notFound else { throw error }
            console.note("\(plan.place) does not know the passkey: a new one is a new question")
            try await login.register(user)
        }
    }

    // MARK: The channel

    /// The open channel; nil where the owner ended it before.
    private func meet(
        _ process: ChannelProcess, _ server: LiquidServer
    ) async throws(CLIError) -> (any DataChannel)? {
        let signals: SignalClient
        do throws(SignallingError) {
            signals = try SignalClient(
                at: server.origin, for: plan.uri.requestID, cookie: server.cookie ?? "",
                userAgent: LiquidServer.userAgent, certificates: plan.authorities)
        } catch {
            throw error == .missingLibrary
                ? CLIError(
                    "there are no connections to servers: libwebsockets.so.17 cannot be loaded",
                    hint: "install libwebsockets17")
                : CLIError(
                    "the connection to \(plan.place) cannot be made", hint: "is the URI right?")
        }
        let found: Result<any DataChannel, ChannelError>
        do throws(ChannelError) {
            let meeting = ChannelMeeting(process, over: signals)
            found = .success(
                try await meeting.channel { stage in
                    console.note(
                        stage == .waiting
                            ? "waiting for the page that shows the URI (Ctrl-C ends it)"
                            : "the page has answered: connecting")
                })
        } catch {
            found = .failure(error)
        }
        await signals.close()
        do throws(ChannelError) { return try found.get() } catch {
            if Task.isCancelled { return nil }
            throw CLIError(error)
        }
    }

    /// Serves until either side closes it; why.
    private func answer(_ channel: any DataChannel) async -> String {
        let transport = ChannelTransport(
            environment: SystemEnvironment(), patience: plan.patience, on: BlockingThreads.shared)
        let run = Task { [signer] in try? await transport.run(signer) { _ in } }
        let ending = await transport.serve(channel, of: peer)
        run.cancel()
        _ = await run.value
        return Task.isCancelled ? "ended here" : ending.reason
    }
}
