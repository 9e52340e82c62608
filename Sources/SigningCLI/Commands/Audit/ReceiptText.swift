// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningPolicy
import SigningPolicyTools
import SigningService
import SigningStorage

/// The text of a receipt, with a second run of its decision.
struct ReceiptText {
    private let receipt: Receipt
    private let body: JSON
    private let words: GrantText

    init(_ receipt: Receipt, schemas: [FactSchema]) {
        self.receipt = receipt
        body = AuditText.body(receipt.intent)
        words = GrantText(schemas: schemas)
    }

    private var outcome: String {
        receipt.result.flatMap { AuditText.body($0)["outcome"]?.text } ?? "none"
    }

    private var approvers: [String] {
        (body["approvers"]?["yes"]?.list?.compactMap { $0["name"]?.text } ?? []).sorted()
    }

    /// Judges the recorded request again by the policy of its time; `undetermined` if the record
    /// lacks a value that the verdict depends on.
    func judgedAgain(by policy: TOMLPolicy) throws -> ReceiptRerun.Finding {
        guard let request = RecordedRequest(receipt.intent) else {
            return .undetermined(["the facts of the request"])
        }
        let keys = Dictionary(
            receipt.keys.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        guard request.keys.allSatisfy({ keys[$0] != nil }) else {
            return .undetermined(["the name of a key that was removed"])
        }
        let limits = receipt.limits ?? []
        let rerun = ReceiptRerun(policy) { claim in
            // A receipt has no public keys, so counters of several keys cannot be told apart.
            let known = limits.filter { $0.isOf(claim) }
            return known.count == 1 ? known[0].before : nil
        }
        // All other deciders answer a question of the policy.
        let verdict = body["decided_by"]?.text == "policy" ? "allow" : "ask"
        return try rerun.finding(
            on: request.judged { keys[$0]?.account(of: request.protocolID) },
            verdict: verdict,
            rules: body["rules"]?.list?.compactMap(\.text) ?? [])
    }

    /// The lines of the receipt.
    func lines(_ finding: ReceiptRerun.Finding?) -> [String] {
        let decoded = receipt.question.map { question in
            question.text.markedLines
        }
        let rules = body["rules"]?.list?.compactMap(\.text) ?? []
        var rows = [
            ("method", body["method"]?.text ?? ""), ("time", receipt.intent.time.utcText),
            ("keys", receipt.keys.map(\.name).joined(separator: ", ")),
            ("decided", body["decided_by"]?.text ?? ""),
            ("rules", rules.joined(separator: ", ")), ("policy", body["policy"]?.text ?? ""),
            ("re-run", finding.map(Self.text) ?? ""),
        ]
        rows += receipt.limits?.map { ("limit", $0.text) } ?? [("limit", Self.noLimits)]
        rows += [
            ("approved", approvers.joined(separator: ", ")), ("outcome", outcome),
            ("log key", Hex.encode(receipt.logPublicKey.span)),
        ]
        let lines = rows.filter { !$0.1.isEmpty }.map { label, text in
            label + String(repeating: " ", count: 10 - label.utf8.count)
                + VisibleText.escaped(text)
        }
        return (decoded ?? factLines) + lines
    }

    private static let noLimits = "this entry does not say how much was used before"

    /// The facts of each operation, for receipts without a question text.
    private var factLines: [String] {
        guard let request = RecordedRequest(receipt.intent) else { return [] }
        return request.facts.flatMap { facts in
            facts.map { fact in
                let value = words.shown(fact, in: request.protocolID)
                return "fact      " + VisibleText.escaped("\(fact.name) = \(value)")
            }
        }
    }

    private static func text(_ finding: ReceiptRerun.Finding) -> String {
        switch finding {
        case .same(let said): "the same: \(said)"
        case .other(let said): "otherwise: \(said)"
        case .undetermined(let missing):
            "unknown: rules look at \(missing.joined(separator: ", "))"
        }
    }

    /// The receipt as JSON.
    func json(_ finding: ReceiptRerun.Finding?) -> JSON {
        let limits = receipt.limits?.map { limit -> JSON in
            [
                "counter": .string(limit.counter), "maximum": .string(String(limit.maximum)),
                "before": .string(String(limit.before)), "after": .string(String(limit.after)),
            ]
        }
        // A valid receipt is `ok`, unless a second run was asked for and was not possible.
        let isOK = if case .undetermined? = finding { false } else { true }
        return [
            "ok": .bool(isOK), "entry": .integer(receipt.intent.sequence),
            "outcome": .string(outcome),
            "approved": .array(approvers.map { .string($0) }),
            "limits": limits.map { .array($0) } ?? .null,
            "rerun": finding.map { .string(Self.text($0)) } ?? .null,
            "log_key": .string(Hex.encode(receipt.logPublicKey.span)),
        ]
    }
}

extension ReceiptLimit {
    /// True if this limit counts the same counter and window as a claim, of whichever key.
    fileprivate func isOf(_ claim: LimitClaim) -> Bool {
        let known = CompiledLimit.counter(counter, replacingKey: { _ in "" })
        guard known == CompiledLimit.counter(claim.counter, replacingKey: { _ in "" }) else {
            return false
        }
        return switch claim.window {
        case .sliding(let seconds): window == seconds
        case .since(let start): since == start
        case .ever: window == nil && since == nil
        }
    }
}

extension ReceiptKey {
    fileprivate func account(of protocolID: ProtocolID) -> Account {
        Account(
            id: id, name: name, protocolID: protocolID, algorithm: .ed25519, publicKey: [],
            address: "", network: nil, tags: tags)
    }
}
