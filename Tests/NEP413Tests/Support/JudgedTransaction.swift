// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

@testable import NEP413

/// One transaction as rules and people see it.
struct JudgedTransaction {
    static let near = UInt128(1_000_000_000_000_000_000_000_000)
    static let key = KeyText(curve: .ed25519, bytes: [UInt8](repeating: 5, count: 32))

    let request: NEP413Request

    /// The actions as a client sends them whole, in Borsh.
    init(_ actions: [NEARAction], to receiver: String = "token.near") throws {
        let signer = try Signer(network: "mainnet")
        let transaction = NEARTransaction(
            signer: signer.account.address,
            key: KeyText(curve: .ed25519, bytes: signer.account.publicKey), nonce: 7,
            receiver: receiver, blockHash: [UInt8](repeating: 1, count: 32), actions: actions)
        let bytes = transaction.preimage
        let frame: JSON = [
            "method": "signTransaction",
            "params": ["transaction": .string(Base64.encode(bytes.span))],
        ]
        request = try decode(frame.write(), holding: [signer.account])
    }

    /// One call with these arguments.
    init(_ method: String, _ args: String) throws {
        try self.init([Self.call(method, args)])
    }

    static func call(
        _ method: String, _ args: String, gas: UInt64 = 1, deposit: UInt128 = 1
    ) -> NEARAction {
        .functionCall(
            FunctionCall(method: method, args: Array(args.utf8), gas: gas, deposit: deposit))
    }

    static func addKey(
        allowance: UInt128?, receiver: String = "app.near", methods: [String] = ["vote"]
    ) -> NEARAction {
        let bounds = FunctionCallPermission(
            allowance: allowance, receiver: receiver, methods: methods)
        return .addKey(key, AccessKey(nonce: 0, permission: .functionCall(bounds)))
    }

    /// Actions of somebody else, for this account to take to the chain.
    static func delegated(
        _ actions: [NEARAction], by sender: String = "carol.near",
        to receiver: String = "mallory.near"
    ) -> SignedDelegate {
        SignedDelegate(
            DelegateAction(
                sender: sender, receiver: receiver, actions: actions, nonce: 1,
                maxBlockHeight: 2, key: key),
            NEARSignature(curve: .ed25519, bytes: [UInt8](repeating: 0, count: 64)))
    }

    /// Beside the flag that every nonce of a client brings.
    var dangers: [String] {
        request.operations[0].dangers.map(\.name).filter { $0 != "offline_nonce" }
    }
    var effects: [Effect] { request.operations[0].effects }
    var lines: [Summary.Line] { request.summary.lines }

    func fact(_ name: String) -> FactValue? {
        request.operations[0].facts.first { $0.name == name }?.value
    }

    func texts(_ name: String) -> [String]? {
        guard case .list(let values) = fact(name) else { return nil }
        return values.compactMap { if case .text(let text) = $0 { text } else { nil } }
    }

    func number(_ name: String) -> Int128? {
        if case .integer(let value) = fact(name) { value } else { nil }
    }

    /// What rules may ask about tokens.
    var tokenFacts: [String] {
        request.operations[0].facts.map(\.name).filter { $0.hasPrefix("token.") }
    }
}
