// SPDX-License-Identifier: Apache-2.0

public import SigningCodecs

/// The outcome of a NEAR transaction in the answers of `send_tx` and `tx`.
public struct ExecutionOutcome: Hashable, Sendable {
    /// The outcome as JSON of the node.
    public let json: JSON
    /// True if the execution failed.
    public let isFailure: Bool

    /// Reads an outcome; throws unless it has the documented form and is about this transaction.
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

    /// The states of a transaction with a known outcome.
    private static let carriedOut = ["EXECUTED_OPTIMISTIC", "EXECUTED", "FINAL"]

    private static func isFailure(_ status: JSON) throws(RPCError) -> Bool {
        // With two members in one object, programs could disagree which one is meant.
        if let members = status.object?.members, members.count == 1 {
            switch (members[0].name, members[0].value) {
            case ("SuccessValue", .string): return false
            case ("Failure", .object): return true
            default: break
            }
        }
        throw .malformed("status is neither SuccessValue nor Failure")
    }

    /// Compares bytes: Swift treats some different characters as equal.
    private static func isSame(_ text: String, _ other: String) -> Bool {
        UTF8Text.isSame(text, other)
    }
}
