// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningCrypto
import SigningFiles
import SigningService
import SigningStorage
import SigningVault

extension CommandLineTool {
    static let hubInvite = Command(
        name: "hub invite", options: [], operands: 2...2,
        summary: "make a hub for an approver, which only answers",
        usage: """
            usage: countersign hub invite NAME FILE

            Makes a hub for the machine of an approver, after the passphrase. That hub sees the
            record and answers questions to several people; it gets no keys, so it can do nothing
            else. FILE is a new file with the invitation; the code that opens it is printed once to
            standard output. Send FILE and the code to the approver by two different ways, for
            "countersign approver join FILE". To take the invitation back: countersign hub retire
            NAME.

            example: countersign hub invite alice-laptop alice.invitation
            """
    ) { invocation in
        let name = try invocation.operand(0)
        guard LedgerHub.isName(name) else {
            throw CLIError.usage(
                "\"\(VisibleText.quotable(name))\" cannot name a hub",
                hint: "use at most \(LedgerHub.nameMax) letters and digits, - . and _")
        }
        let path = try invocation.operand(1)
        let workspace = try invocation.workspace(toWrite: true)
        let ledger = try workspace.sharedLedger()
        if let problem = try workspace.takeIn(ledger).problem { throw problem }
        try workspace.unlock(try invocation.passphrase().read(to: "invite the hub \"\(name)\""))
        let key = try workspace.vault.logPublicKey()
        let code = SecretBytes.random(count: AEAD.keyCount)
        do throws(LedgerError) {
            try ledger.invite(
                name, into: path, vouchedBy: key, at: SystemEnvironment().now(), sealedBy: code)
        } catch .unavailable(let text) {
            throw CLIError(text, hint: unused(name, in: ledger))
        }
        workspace.checkpointIfSound(ledger, invocation.console)
        invocation.console.put(
            secret: SecretText.hex(of: code), asMember: invocation.console.isJSON ? "code" : nil)
        invocation.console.note(
            "wrote \(VisibleText.escaped(path)), which this code opens; on the other machine: "
                + "countersign approver join FILE")
        return .done
    }

    /// The hint for an invitation that could not be written.
    private static func unused(_ name: String, in ledger: SQLiteLedger) -> String {
        let hubs = (try? ledger.hubs()) ?? []
        return hubs.contains { $0.name == name && $0.retired == nil && $0.answersOnly }
            ? "if no invitation was written for hub \(name): countersign hub retire \(name)"
            : "nothing was done; see \"countersign hub invite --help\""
    }
}
