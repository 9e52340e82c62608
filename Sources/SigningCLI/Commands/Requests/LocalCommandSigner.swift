// SPDX-License-Identifier: Apache-2.0

import SigningAgent
import SigningCore
import SigningService
import SigningTerminal
import SigningWires

/// The signer of a command that opens the home in this process.
struct LocalCommandSigner: CommandSigner {
    private let signer: LocalSigner
    private let workspace: Workspace
    private let invocation: Invocation

    /// Opens the ledger and compiles the policy.
    init(
        _ invocation: Invocation, in workspace: Workspace, unlockedBy passphrase: Passphrase
    ) throws(CLIError) {
        let schemas = workspace.adapters.schemas
        let couriers = try invocation.couriers()
        signer = try CLIError.wrapping { () throws(ServiceError) in
            try LocalSigner(
                of: workspace.open, asking: TerminalApproval(schemas: schemas),
                approvers: ApproverText.interruptibleWords(schemas, invocation.console),
                unlockedBy: passphrase, couriers: couriers,
                runtimeFolder: invocation.environment["XDG_RUNTIME_DIR"])
        }
        self.workspace = workspace
        self.invocation = invocation
    }

    var policyNote: (state: String, fix: String)? { workspace.policyNote() }

    func unaskedText(of frame: Frame, over adapter: any ProtocolAdapter) async -> String? {
        UnaskedSummary.text(of: frame, for: adapter, invocation, workspace, signer.ledger)
    }

    func answer(_ frame: Frame, over wire: AdapterID?) async -> Answer {
        await signer.answer(frame, over: wire)
    }

    func carryOut(_ frame: Frame, over wire: AdapterID) async -> CommandAnswer {
        let answer = await answer(frame, over: wire)
        let denial = CommandAnswer.denial(answer)
        return CommandAnswer(
            answer: answer, remembered: answer.remembered.map(ReportedGrant.init),
            freeze: denial == .frozen ? signer.freezeReason() : nil,
            hasNewerPolicy: denial == .policyChanged && signer.hasNewerPolicy(),
            unlockingError: signer.unlockingError, isByAgent: false)
    }

    func knowsClient(of frame: Frame, over wire: AdapterID) async -> Bool {
        signer.knowsClient(of: frame, over: wire)
    }

    func finish() throws(ServiceError) { try signer.finish() }
}
