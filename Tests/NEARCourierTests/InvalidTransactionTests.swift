// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import Testing

@testable import NEARCourier

@Suite("Transactions that a node refuses")
struct InvalidTransactionTests {
    static func error(_ data: JSON) -> RPCError {
        RPCError([
            "name": "HANDLER_ERROR", "cause": ["name": "INVALID_TRANSACTION", "info": [:]],
            "code": -32000, "message": "Server error", "data": data,
        ])
    }

    @Test(
        "the reasons, none of which proves that the node has not taken it",
        arguments: [
            ("Expired", InvalidTransaction.expired),
            ("InvalidSignature", .signature),
            (["NotEnoughBalance": ["cost": "2"]], .notEnoughBalance),
            (["NonceTooLarge": ["tx_nonce": 9, "upper_bound": 8]], .nonceTooLarge),
            (
                ["InvalidNonce": ["tx_nonce": 5, "ak_nonce": .number("18446744073709551615")]],
                .invalidNonce(transaction: 5, key: .max)
            ),
            (["ActionsValidation": ["x": 1]], .other("ActionsValidation")),
            ("InvalidChain", .other("InvalidChain")),
            (["ShardCongested": ["shard_id": 1]], .other("ShardCongested")),
            (
                ["InvalidAccessKeyError": ["AccessKeyNotFound": ["account_id": "a"]]],
                .other("InvalidAccessKeyError.AccessKeyNotFound")
            ),
            (
                ["InvalidAccessKeyError": "RequiresFullAccess"],
                .other("InvalidAccessKeyError.RequiresFullAccess")
            ),
            ("Tomorrow", .other("Tomorrow")),
        ] as [(JSON, InvalidTransaction)])
    func reasons(json: JSON, expected: InvalidTransaction) {
        let error = Self.error(["TxExecutionError": ["InvalidTxError": json]])
        #expect(error == .invalidTransaction(expected))
        #expect(error.mayHaveBeenSent)
        #expect(!error.text.isEmpty)
    }

    @Test(
        "a refusal without a reason that can be read",
        arguments: [
            nil, "text", [:], ["TxExecutionError": ["ActionError": ["index": 0]]],
            ["TxExecutionError": ["InvalidTxError": 7]],
            ["TxExecutionError": ["InvalidTxError": ["InvalidNonce": ["tx_nonce": 1]]]],
            ["TxExecutionError": ["InvalidTxError": ["InvalidNonce": ["tx_nonce": "1"]]]],
        ] as [JSON])
    func unread(data: JSON) {
        let error = Self.error(data)
        guard case .server(name: "INVALID_TRANSACTION", _) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(error.mayHaveBeenSent)
    }

    @Test("errors of other names")
    func others() {
        let unread = RPCError([
            "name": "REQUEST_VALIDATION_ERROR", "cause": ["name": "PARSE_ERROR"],
        ])
        #expect(unread == .server(name: "PARSE_ERROR", message: ""))
        #expect(unread.mayHaveBeenSent)
        let own = RPCError(["code": -32000, "message": "busy"])
        #expect(own == .server(name: "error", message: "busy"))
        #expect(own.mayHaveBeenSent)
        let long = RPCError(["message": .string(String(repeating: "x", count: 10_000))])
        guard case .server(_, let message) = long else { return }
        #expect(message.count < 1_000)
    }
}
