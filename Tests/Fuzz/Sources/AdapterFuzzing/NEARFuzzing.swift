// SPDX-License-Identifier: Apache-2.0

import NEAR
import NEP413
import SigningCodecs
import SigningCore
import SigningCrypto

/// Wallet calls, transactions and signed objects, with an account that can sign them.
public enum NEARFuzzing {
    private static let adapter = NEP413Adapter()
    private static let alice = AdapterFuzzing.account(
        "near", .ed25519,
        key: "03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8",
        address: "alice.near")

    /// Decodes a call with an invented lookup result.
    public static func runCall(_ frame: [UInt8]) {
        answer(frame, context([alice]))
        guard let reading = try? adapter.read(frame.span),
            let need = try? adapter.need(of: reading, in: context([alice]))
        else { return }
        let lookup = NEARLookup(
            for: need,
            found: NEARLookup.Found(
                nonces: (0..<UInt64(need.nonceCount)).map { 100 + $0 },
                blockHash: [UInt8](repeating: 7, count: 32), blockHeight: 5_000))
        let looked = try? adapter.decode(reading, with: lookup, in: context([alice]))
        guard let request = looked else { return }
        check(request)
        precondition(request.operations.allSatisfy { $0.account == need.account })
        precondition(request.terms.serials.allSatisfy { $0.series == need.series })
        precondition(need.nonceCount <= request.terms.serials.count)
    }

    /// Decodes a transaction in Borsh; encoding it must give the input again.
    public static func runTransaction(_ borsh: [UInt8]) {
        guard let account = signer(of: borsh) else { return }
        let frame: JSON = [
            "method": "signTransaction",
            "params": [
                "network": "mainnet", "transaction": .string(Base64.encode(borsh.span)),
            ],
        ]
        guard let request = answer(frame.write(), context([account])) else { return }
        precondition(request.operations.count == 1)
        guard case .sign(let input) = request.operations[0].operation else {
            preconditionFailure("signs nothing")
        }
        precondition(input.preimage == borsh, "signs something else")
    }

    /// Decodes a signed object in Borsh; the bytes of its signature must be part of it.
    public static func runSigned(_ borsh: [UInt8]) {
        let text = Array(Base64.encode(borsh.span).utf8)
        guard let statement = try? adapter.readSigned(text.span) else { return }
        precondition(!statement.summary.text.isEmpty && statement.signatures.count == 1)
        let preimage = statement.signatures[0].readings[0].preimage
        // A delegate action is encoded without the tag that is hashed with it.
        let isThere = [0, 4].contains { borsh.starts(with: preimage.dropFirst($0)) }
        precondition(isThere, "verifies something else")
    }

    @discardableResult
    private static func answer(
        _ frame: [UInt8], _ context: DecodingContext
    ) -> NEP413Request? {
        guard let request = AdapterFuzzing.check(adapter, frame, context) else { return nil }
        check(request)
        return request
    }

    private static func check(_ request: NEP413Request) {
        let results = request.operations.map { requested -> KeyResult in
            guard case .sign(let input) = requested.operation else {
                return .publicKey(requested.account.publicKey)
            }
            let hash = Digest.sha256(input.preimage.span)
            return .signature([UInt8](repeating: 5, count: 64), message: hash)
        }
        switch adapter.encode(.done(results), to: request) {
        case .message(let bytes):
            let isSigned = request.method.hasPrefix("sign_") && request.method != "sign_message"
            guard isSigned, !results.isEmpty, request.method != "sign_in" else { break }
            precondition((try? adapter.readSigned(bytes.span)) != nil, "unreadable answer")
        case .broadcast(let broadcast):
            precondition(broadcast.items.count == results.count)
            for item in broadcast.items {
                let text = Array(Base64.encode(item.bytes.span).utf8)
                precondition((try? adapter.readSigned(text.span)) != nil, "unreadable item")
            }
        default: preconditionFailure("no answer")
        }
    }

    /// The signer and the Ed25519 key that a transaction begins with.
    private static func signer(of borsh: [UInt8]) -> Account? {
        guard borsh.count > 4, borsh[1] == 0, borsh.count > 4 + Int(borsh[0]) + 33 else {
            return nil
        }
        let end = 4 + Int(borsh[0])
        guard let address = String(validating: borsh[4..<end], as: UTF8.self), borsh[end] == 0
        else { return nil }
        return AdapterFuzzing.account(
            "near", .ed25519, key: Hex.encode(Array(borsh[(end + 1)..<(end + 33)]).span),
            address: address)
    }

    private static func context(_ accounts: [Account]) -> DecodingContext {
        DecodingContext(
            accounts: accounts,
            peer: Peer(channel: "fuzz", claim: "app"),
            client: Client(id: "app", name: nil, proof: .claimed),
            now: Timestamp(seconds: 1_790_000_000), freshID: [UInt8](repeating: 1, count: 16),
            wasSeen: { _ in nil },
            connections: { client in
                accounts.prefix(1).map { account in
                    ClientConnection(
                        id: [UInt8](repeating: 2, count: 16), protocolID: account.protocolID,
                        client: client, network: "mainnet", key: account.id,
                        address: account.address, started: Timestamp(seconds: 1))
                }
            })
    }
}
