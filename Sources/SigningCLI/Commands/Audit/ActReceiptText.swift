// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningService
import SigningStorage

/// The text of a valid receipt for an owner's act.
struct ActReceiptText {
    private let receipt: ActReceipt

    init(_ receipt: ActReceipt) { self.receipt = receipt }

    func put(on console: Console) {
        guard !console.isJSON else { return console.put(json.write()) }
        let rows = [
            ("act", receipt.act.kind), ("entry", String(receipt.act.sequence)),
            ("time", receipt.act.time.utcText), ("does", receipt.question.totals.joined()),
            ("asked", receipt.demand.map { "\($0.rule): \($0.text)" } ?? ""),
            ("approved", receipt.approvers.joined(separator: ", ")),
            ("policy", Hex.encode(receipt.question.binding.policyHash.span)),
            ("log key", Hex.encode(receipt.logPublicKey.span)),
        ]
        for line in receipt.question.text.markedLines { console.put(line) }
        for (label, text) in rows {
            console.put(
                label + String(repeating: " ", count: 10 - label.utf8.count)
                    + VisibleText.escaped(text))
        }
        console.put("receipt: ok")
    }

    private var json: JSON {
        [
            "ok": true, "act": .string(receipt.act.kind),
            "entry": .integer(receipt.act.sequence),
            "does": .string(receipt.question.totals.joined()),
            "approved": .array(receipt.approvers.map { .string($0) }),
            "policy": .string(Hex.encode(receipt.question.binding.policyHash.span)),
            "log_key": .string(Hex.encode(receipt.logPublicKey.span)),
        ]
    }
}
