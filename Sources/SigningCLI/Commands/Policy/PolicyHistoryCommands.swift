// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningPolicy
import SigningService
import SigningStorage
import SigningVault

extension CommandLineTool {
    static let policyHistory = Command(
        name: "policy history", options: [], operands: 0...0,
        summary: "list every policy that was put in force",
        usage: """
            usage: countersign policy history

            Lists every policy that was put in force, oldest first: the number of its entry in the
            record, the time, the start of its hash, who approved it, and whether its text is kept.
            "policy show" prints the text.

            example: countersign policy history
            """
    ) { invocation in
        let history = try invocation.workspace().policyHistory(invocation.console)
        guard !invocation.console.isJSON else {
            invocation.console.put(JSON.array(history.map(\.json)).write())
            return .done
        }
        for policy in history { invocation.console.put(policy.line) }
        if history.isEmpty { invocation.console.note("no policy was put in force yet") }
        return .done
    }

    static let policyShow = Command(
        name: "policy show", options: [], operands: 0...1,
        summary: "print the text of a policy that was put in force",
        usage: """
            usage: countersign policy show [N]

            Prints the text of the policy in force, or of the policy that entry N of the record put
            in force. "policy history" lists these entries. The text is as it was attested, with its
            comments and tests. policy.toml is neither read nor changed.

            example: countersign policy show 12
            """
    ) { invocation in
        let (hash, text) = try invocation.workspace().attestedText(
            of: invocation.arguments.operands.first, invocation.console)
        if invocation.console.isJSON {
            let json: JSON = [
                "hash": .string(Hex.encode(hash.span)),
                "text": .string(String(decoding: text, as: UTF8.self)),
            ]
            invocation.console.put(json.write())
        } else {
            invocation.console.put(text.last == 0x0A ? Array(text.dropLast()) : text)
        }
        return .done
    }
}

extension Workspace {
    /// The policies that were put in force; warns of archive files that cannot be read.
    fileprivate func policyHistory(_ console: Console) throws -> [RecordedPolicy] {
        let history = try AuditLog.open(home).policies()
        for segment in history.unread {
            console.warn(segment.text, hint: "put the original file back")
        }
        return history.policies
    }

    /// The hash and the text of the policy that the named entry put in force; without a name, those
    /// of the policy in force.
    fileprivate func attestedText(
        of name: String?, _ console: Console
    ) throws -> (hash: [UInt8], text: [UInt8]) {
        guard let name else {
            guard let policy = try vault.attestedPolicy() else {
                throw CLIError(
                    "no policy is in force",
                    hint: "check policy.toml, then countersign policy attest")
            }
            return (policy.hash, policy.source)
        }
        let found = try policyHistory(console).first { String($0.sequence) == name }
        guard let found else {
            throw CLIError(
                "no entry \"\(VisibleText.quotable(name))\" put a policy in force",
                hint: "countersign policy history lists the entries")
        }
        guard let text = try AuditLog.open(home).text(of: found) else {
            throw CLIError(
                "the record does not contain the text of the policy of entry \(found.sequence)",
                hint: found.textDigest == nil
                    ? "an older version attested it, or it is longer than "
                        + "\(PolicyText.bytesMax >> 10) KiB"
                    : "the text was lost or changed: countersign audit verify")
        }
        // Any program could have written the text before entries named texts.
        let isSame =
            found.isNamed
            || PolicyLoading(
                text, fileName: "policy.toml", adapters: adapters, isInForce: true
            ).policy?.hash == found.hash
        guard isSame else {
            throw CLIError(
                "the text kept for entry \(found.sequence) is not the policy that it put in force",
                hint: "use a copy of the file from that time")
        }
        return (found.hash, text)
    }
}

extension RecordedPolicy {
    fileprivate var line: String {
        let approved = approvers.map { VisibleText.listed($0) }
        let people = (["the owner"] + approved).joined(separator: ", ")
        return "\(sequence)  \(time.utcText)  \(Hex.encode(hash.span).prefix(16))  by \(people)  "
            + (isKept ? "text kept" : "text not kept")
    }

    fileprivate var json: JSON {
        [
            "entry": .integer(sequence), "time": .string(time.utcText),
            "hash": .string(Hex.encode(hash.span)),
            "approvers": .array(approvers.map { .string($0) }),
            "text_sha256": textDigest.map { .string(Hex.encode($0.span)) } ?? .null,
            "kept": .bool(isKept),
        ]
    }
}
