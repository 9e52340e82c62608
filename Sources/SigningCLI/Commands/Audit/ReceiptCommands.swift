// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningPolicy
import SigningPolicyTools
import SigningService
import SigningStorage
import SigningVault
import SigningWires

extension CommandLineTool {
    static let auditReceipt = Command(
        name: "audit receipt", options: [], operands: 1...1,
        summary: "write a signed receipt of a request",
        usage: """
            usage: countersign audit receipt N|ID

            Writes a receipt of one request that was carried out, after the passphrase. N|ID is as
            for "audit show". The receipt contains the entries of the request and of its result, the
            use of each limit before it, the text that approvers were shown and their signatures,
            and the names and tags of the keys. The log key signs all of it. For a policy, an export
            or the end of a freeze that approvers approved, it contains that entry, the entry of the
            policy that asked them, and the text that they were shown. Anyone can check a receipt
            with "receipt verify", without this home.

            example: countersign audit receipt 12 > receipt.json
            """
    ) { invocation in
        let workspace = try invocation.workspace()
        let log = try AuditLog.open(workspace.home)
        let entries = try AuditSearch.entries(named: try invocation.operand(0), in: log)
        if let act = try actReceipt(of: entries, in: log, workspace, invocation) {
            invocation.console.put(act.text)
            return .done
        }
        guard let intent = entries.first(where: { $0.kind == "intent" }) else {
            throw CLIError(
                "the record has no such request that was carried out, and no such act that "
                    + "approvers approved",
                hint: "see \"countersign audit list\"")
        }
        let digest = AuditText.body(intent)["approvers"]?["question"]?.text
        let ledger = try workspace.openLedger()
        let question = try digest.flatMap(NamedQuestion.digest)
            .flatMap { digest in try ledger.jointQuestion(digest) }
        try workspace.unlock(
            try invocation.passphrase().read(to: "sign a receipt of what is on record"))
        let receipt = try workspace.vault.sealReceipt(
            of: intent, entries.first { $0.kind == "result" }, question?.question)
        invocation.console.put(receipt.text)
        return .done
    }

    /// The receipt of an owner's act; nil if no entry is an act with approvers.
    private static func actReceipt(
        of entries: [AuditEntry], in log: AuditLog, _ workspace: Workspace,
        _ invocation: Invocation
    ) throws -> ActReceipt? {
        let found = try entries.first.flatMap { entry in
            try log.governedAct(entry).map { (entry, $0.governing, $0.question) }
        }
        guard let (entry, governing, digest) = found else { return nil }
        let ledger = try workspace.openLedger()
        let question = try ledger.jointQuestion(digest)?.question
        guard let question else {
            throw CLIError(
                "the text that the approvers were shown is no longer kept",
                hint: "\"audit show\" prints what they signed")
        }
        try workspace.unlock(
            try invocation.passphrase().read(to: "sign a receipt of what is on record"))
        let receipt = try workspace.vault.sealReceipt(of: entry, under: governing, question)
        if let problem = receipt.problem() {
            throw CLIError(
                "a receipt of this would not be valid: \(problem)",
                hint: "\"audit show\" prints what is on record")
        }
        return receipt
    }

    static let receiptVerify = Command(
        name: "receipt verify",
        options: [
            Option(name: "--policy", value: "FILE"), Option(name: "--log-key", value: "HEX"),
        ], operands: 1...1,
        summary: "check a receipt",
        usage: """
            usage: countersign receipt verify FILE [--policy FILE] [--log-key HEX]

            Checks a receipt that "audit receipt" wrote. It needs no home. It checks the signature
            of the log key and the hashes of the entries, that the result belongs to the request,
            and that no limit was exceeded. It also checks the signature of each approver, and that
            enough approvers said yes. For an act of the owner it checks that the policy that was in
            force asked for these approvers.
            --policy compares the hash of that policy and the approvers that its rules name, and
            lets it judge the recorded facts again; it names facts that are not on record. --log-key
            is the key that has to have signed. Without it the receipt only proves that it is
            consistent. Exit status 0 if everything is right, 1 if not, 4 if the signatures are
            valid but the policy cannot judge again.

            example: countersign receipt verify receipt.json --policy policy.toml
            """
    ) { invocation in
        let file = try Source.read(try invocation.operand(0))
        let policy = try invocation.arguments.value("--policy").map { path in
            try PolicyLoading.reading(path, for: invocation.adapters, isInForce: true)
                .inUse(path)
        }
        let key = try invocation.arguments.value("--log-key").map { text in
            guard let key = NamedQuestion.digest(text) else {
                throw CLIError.usage(
                    "--log-key takes 64 hexadecimal digits",
                    hint: "give the log key that you know, such as from an earlier receipt")
            }
            return key
        }
        if let act = ActReceipt(file) {
            if let problem = act.problem(
                logPublicKey: key,
                policy: policy.map { GoverningPolicy(hash: $0.hash, $0.governance) })
            {
                throw CLIError("receipt: \(problem)", hint: "do not trust this receipt")
            }
            ActReceiptText(act).put(on: invocation.console)
            return .done
        }
        guard let receipt = Receipt(file) else {
            throw CLIError(
                "this is not a receipt", hint: "give a file that \"audit receipt\" wrote")
        }
        if let problem = receipt.problem(
            logPublicKey: key, policy: policy.map { ($0.hash, $0.demands) })
        {
            throw CLIError("receipt: \(problem)", hint: "do not trust this receipt")
        }
        let text = ReceiptText(receipt, schemas: invocation.adapters.schemas)
        let finding = try policy.map { policy in
            try text.judgedAgain(by: policy)
        }
        if case .other(let said)? = finding {
            throw CLIError(
                "receipt: the policy decides differently: \(said)",
                hint: "do not trust this receipt")
        }
        if invocation.console.isJSON {
            invocation.console.put(text.json(finding).write())
        } else {
            for line in text.lines(finding) { invocation.console.put(line) }
        }
        if case .undetermined(let missing)? = finding {
            throw CLIError(
                "receipt: not judged again: no record contains "
                    + VisibleText.escaped(missing.joined(separator: ", ")),
                hint: "its signatures are valid; whether the policy decides the same is not known",
                status: .inconclusive)
        }
        if !invocation.console.isJSON { invocation.console.put("receipt: ok") }
        return .done
    }
}
