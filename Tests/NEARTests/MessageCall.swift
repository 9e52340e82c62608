// SPDX-License-Identifier: Apache-2.0

import NEARSamples
import SigningCodecs
import SigningCore
import Testing
import VectorFiles

@testable import NEAR

/// A message to sign, as a wire passes it on.
struct MessageCall {
    var message = "hi"
    var recipient = "myapp.com"
    var nonce = [UInt8](0...31)
    var callbackURL: String?
    var accountID: String?
    var network: String?

    var payload: NEP413Payload {
        NEP413Payload(
            message: message, nonce: nonce, recipient: recipient, callbackURL: callbackURL)
    }

    func request(
        holding accounts: [Account] = [JudgedTransaction.account(nil)],
        wasSeen: @escaping @Sendable (ReplayToken) -> Bool? = { _ in false }
    ) throws(NEARRefusal) -> NEARRequest {
        let hub = DecodingContext(
            accounts: accounts, peer: Peer(channel: "test"), now: Timestamp(seconds: 1_800_000_000),
            freshID: [], wasSeen: wasSeen)
        return try NEARRequest(
            message: payload,
            of: NEARClientContext(accountID: accountID, key: nil, network: network),
            signsIn: false, in: NEARContext(hub: hub, lookup: nil))
    }
}

extension MessageCall {
    /// The messages of nep413.json by their ids.
    static let vectors: [String: MessageCall] = {
        let rows = VectorFile.near("nep413.json")["vectors"]?.list ?? []
        let calls = rows.compactMap { row in
            row["id"]?.text.flatMap { id in MessageCall(row).map { (id, $0) } }
        }
        return Dictionary(calls) { first, _ in first }
    }()

    static func vector(_ id: String) throws -> MessageCall { try #require(vectors[id]) }

    private init?(_ row: JSON) {
        guard let message = row["message"]?.text, let recipient = row["recipient"]?.text,
            let nonce = row["nonceHex"]?.text.flatMap({ try? Hex.decode($0) })
        else { return nil }
        self.init(
            message: message, recipient: recipient, nonce: nonce,
            callbackURL: row["callbackUrl"]?.text)
    }
}

extension NEARRequest {
    func fact(_ name: String) -> FactValue? { facts.first { $0.name == name }?.value }
}
