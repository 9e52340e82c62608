// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import Testing

@testable import SigningNetwork

@Suite("Transactions that a node refuses")
struct InvalidTransactionTests {
    static func error(_ data: JSON) -> RPCError {
        RPCError([
            "name": "HANDLER_ERROR", "cause": ["name": "INVALID_TRANSACTION", "info": [:]],
            "code": -32000, "message": "Server error", "data": data,
        ])
    }

    @Test(
        "the reasons, and whether they are the last word",
        arguments: [
            ("Expired", InvalidTransaction.expired, true),
            ("InvalidSignature", .signature, true),
            (["NotEnoughBalance": ["cost": "2"]], .notEnoughBalance, true),
            (["NonceTooLarge": ["tx_nonce": 9, "upper_bound": 8]], .nonceTooLarge, true),
            (
                ["InvalidNonce": ["tx_nonce": 5, "ak_nonce": .number("18446744073709551615")]],
                .invalidNonce(transaction: 5, key: .max), false
            ),
            (["ActionsValidation": ["x": 1]], .other("ActionsValidation"), true),
            ("InvalidChain", .other("InvalidChain"), true),
            (["ShardCongested": ["shard_id": 1]], .other("ShardCongested"), false),
            (
                ["InvalidAccessKeyError": ["AccessKeyNotFound": ["account_id": "a"]]],
                .other("InvalidAccessKeyError.AccessKeyNotFound"), false
            ),
            (
                ["InvalidAccessKeyError": "RequiresFullAccess"],
                .other("InvalidAccessKeyError.RequiresFullAccess"), false
            ),
            ("Tomorrow", .other("Tomorrow"), false),
        ] as [(JSON, InvalidTransaction, Bool)])
    func reasons(json: JSON, expected: InvalidTransaction, isFinal: Bool) {
        let error = Self.error(["TxExecutionError": ["InvalidTxError": json]])
        #expect(error == .invalidTransaction(expected))
        #expect(error.mayHaveBeenSent == !isFinal)
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
        #expect(!unread.mayHaveBeenSent)
        let own = RPCError(["code": -32000, "message": "busy"])
        #expect(own == .server(name: "error", message: "busy"))
        #expect(own.mayHaveBeenSent)
        let long = RPCError(["message": .string(String(repeating: "x", count: 10_000))])
        guard case .server(_, let message) = long else { return }
        #expect(message.count < 1_000)
    }
}
