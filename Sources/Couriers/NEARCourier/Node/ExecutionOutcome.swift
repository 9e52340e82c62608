// SPDX-License-Identifier: Apache-2.0

public import SigningCodecs

/// What became of a NEAR transaction that was carried out, as `send_tx` and `tx` tell it.
public struct ExecutionOutcome: Hashable, Sendable {
    /// The outcome as the node gives it.
    public let json: JSON
    /// Whether carrying it out failed.
    public let isFailure: Bool

    /// Takes exactly the documented shape, about this very transaction; everything else proves
    /// nothing.
    package init(_ json: JSON, of hash: String, by sender: String) throws(RPCError) {
        let reached = try json.text("final_execution_status")
        guard Self.carriedOut.contains(reached) else {
            throw .malformed("final_execution_status does not say that it was carried out")
        }
        let transaction = try json.member("transaction")
        guard Self.isSame(try transaction.text("hash"), hash),
            Self.isSame(try transaction.text("signer_id"), sender),
            Self.isSame(try json.member("transaction_outcome").text("id"), hash)
        else { throw .malformed("it is about another transaction") }
        _ = try json.list("receipts_outcome")
        self.json = json
        isFailure = try Self.isFailure(json.member("status"))
    }

    /// The states of a transaction whose outcome is known.
    private static let carriedOut = ["EXECUTED_OPTIMISTIC", "EXECUTED", "FINAL"]

    private static func isFailure(_ status: JSON) throws(RPCError) -> Bool {
        // Two members in one could be read in two ways.
        if let members = status.object?.members, members.count == 1 {
            switch (members[0].name, members[0].value) {
            case ("SuccessValue", .string): return false
            case ("Failure", .object): return true
            default: break
            }
        }
        throw .malformed("status is neither SuccessValue nor Failure")
    }

    /// By bytes: Swift takes some other letters for the same.
    private static func isSame(_ text: String, _ other: String) -> Bool {
        UTF8Text.isSame(text, other)
    }
}
