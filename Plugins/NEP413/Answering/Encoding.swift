// SPDX-License-Identifier: Apache-2.0

import NEAR
import SigningCodecs
public import SigningCore

extension NEP413Adapter: Broadcasts {
    /// Writes the result of a call or a message, or an error with its code.
    public func encode(_ outcome: Outcome, to request: NEP413Request) -> Reply {
        switch outcome {
        case .done(let results):
            guard let reply = request.reply(results) else {
                return .undeliverable(Reason(.keyFailed, "the results do not fit the request"))
            }
            return reply
        case .denied(let reason), .failed(let reason):
            return NEARRefusal(reason.code).reply(state: request.state)
        }
    }
}

extension Reply {
    /// Returns the answer to a call.
    static func result(_ json: JSON) -> Reply {
        .message((["result": json] as JSON).write())
    }

    /// Returns an answer with data of a node in ASCII, as it may be printed on a terminal.
    static func result(ofNode json: JSON) -> Reply {
        .message((["result": json] as JSON).writeASCII())
    }
}

extension JSON {
    /// Returns an account in the format of connectors.
    static func account(_ account: Account, signed message: JSON? = nil) -> JSON {
        var members: [JSONObject.Member] = [
            .init(name: "accountId", value: .string(account.address)),
            .init(name: "publicKey", value: .string(KeyText.ed25519(account.publicKey))),
        ]
        if let message { members.append(.init(name: "signedMessage", value: message)) }
        return .object(JSONObject(members))
    }
}

extension NEP413Request {
    /// Returns the reply with results in the order of the operations; nil if they do not match.
    fileprivate func reply(_ results: [KeyResult]) -> Reply? {
        guard results.count == operations.count else { return nil }
        switch near.body {
        case .message(let message, let signsIn):
            guard case .signature(let signature, _) = results[0] else { return nil }
            let signed = signedMessage(message.account, signature)
            guard isCall else { return .message(signed.write()) }
            return .result(signsIn ? [.account(message.account, signed: signed)] : signed)
        case .signIn(let account, _): return .result([.account(account)])
        case .signOut: return .result(nil)
        case .accounts(let accounts): return .result(.array(accounts.map { JSON.account($0) }))
        case .transactions(let transactions, let network, let purpose):
            guard let items = items(transactions, results), let first = items.first else {
                return nil
            }
            guard case .handOver = purpose else {
                return .broadcast(Broadcast(network: network, items: items))
            }
            return .result([
                "signedTransaction": .string(Base64.encode(first.bytes.span)),
                "transactionHash": .string(first.id),
            ])
        case .delegates(let delegates, _):
            guard let signed = signed(delegates, results) else { return nil }
            return .result([
                "signedDelegateActions": .array(
                    signed.map { delegate in
                        let bytes = delegate.bytes
                        return .string(Base64.encode(bytes.span))
                    })
            ])
        }
    }

    /// Returns a SignedMessage in the format of NEP-413.
    private func signedMessage(_ account: Account, _ signature: [UInt8]) -> JSON {
        var members: [JSONObject.Member] = [
            .init(name: "accountId", value: .string(account.address)),
            .init(name: "publicKey", value: .string(KeyText.ed25519(account.publicKey))),
            .init(name: "signature", value: .string(Base64.encode(signature.span))),
        ]
        if let state { members.append(.init(name: "state", value: .string(state))) }
        return .object(JSONObject(members))
    }

    /// Returns the signed transactions with their hashes.
    private func items(
        _ transactions: [NEARTransaction], _ results: [KeyResult]
    ) -> [Broadcast.Item]? {
        var items: [Broadcast.Item] = []
        for (place, transaction) in transactions.enumerated() {
            guard case .signature(let signature, let hash) = results[place],
                case .sign(let input) = operations[place].operation
            else { return nil }
            items.append(
                Broadcast.Item(
                    id: Base58.encode(hash.span), sender: transaction.signer,
                    bytes: SignedTransaction.bytes(input.preimage, ed25519: signature)))
        }
        return items
    }

    private func signed(
        _ delegates: [DelegateAction], _ results: [KeyResult]
    ) -> [SignedDelegate]? {
        var signed: [SignedDelegate] = []
        for (delegate, result) in zip(delegates, results) {
            guard case .signature(let signature, _) = result else { return nil }
            signed.append(
                SignedDelegate(delegate, NEARSignature(curve: .ed25519, bytes: signature)))
        }
        return signed
    }
}
