// SPDX-License-Identifier: Apache-2.0

import BuiltInProtocols
import LiquidAuth
import SigningAgent
import SigningCore
import SigningFiles
import SigningService
import SigningStorage
import SigningTerminal
import SigningWires

/// A connection to a page that this command keeps without an agent.
struct LiquidAlone: Sendable {
    private let plan: LiquidPlan
    private let program: ChannelProgram
    private let console: Console
    private let signer: LocalSigner

    init(_ plan: LiquidPlan, _ invocation: Invocation, in workspace: Workspace) throws {
        self.plan = plan
        console = invocation.console
        program = try LiquidInput.program(invocation)
        TerminalApproval.outliveTerminal()
        let passphrase = try invocation.passphrase()
        signer = try LocalSigner(
            of: workspace.open, asking: AgentApproval(schemas: workspace.adapters.schemas),
            approvers: ApproverText.words(workspace.adapters.schemas, invocation.console),
            unlockedBy: passphrase,
            couriers: invocation.couriers(and: try AddedNetworks(in: workspace.vault)),
            runtimeFolder: invocation.environment["XDG_RUNTIME_DIR"])
        if let note = workspace.open.policyNote() { console.warn(note.state, hint: note.fix) }
    }

    func run() async throws -> ExitStatus {
        let result: Result<ExitStatus, any Error> = await StopSignals.run {
            do { return .success(try await serve()) } catch { return .failure(error) }
        }
        do throws(ServiceError) { try signer.finish() } catch {
            console.complain(error.message, hint: error.hint)
        }
        return try result.get()
    }

    private func serve() async throws -> ExitStatus {
        let channels = ChannelTransport(
            environment: SystemEnvironment(), on: BlockingThreads.shared)
        let serving = Task { [signer] in try? await channels.run(signer) { _ in } }
        let result: Result<ChannelClosure, LiquidConnectionError>
        do throws(LiquidConnectionError) {
            let order = await plan.order.choosingServer(
                on: BlockingThreads.shared, randomBytes: SystemEnvironment().randomBytes
            ) { [plan, console] stage in
                if let line = plan.line(stage, ending: "Ctrl-C") { console.note(line) }
            }
            let connection = try LiquidConnection(order, by: program)
            result = .success(
                try await connection.run(by: signer, over: channels) { [plan, console] stage in
                    if let line = plan.line(stage, ending: "Ctrl-C") { console.note(line) }
                })
        } catch {
            result = .failure(error)
        }
        serving.cancel()
        _ = await serving.value
        switch result {
        case .success(let ending):
            let reason = Task.isCancelled ? "ended by this command" : ending.reason
            console.note("closed: \(VisibleText.escaped(reason))")
            return .done
        case .failure(let failure):
            if failure.kind == .cancelled {
                console.note("ended by this command before a channel was open")
                return .failed
            }
            if let cause = signer.unlockingError { throw CLIError(cause) }
            throw CLIError(failure, to: plan.place)
        }
    }
}
