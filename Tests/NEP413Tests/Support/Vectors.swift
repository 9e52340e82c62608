// SPDX-License-Identifier: Apache-2.0

import NEARSamples
import SigningCodecs
import Testing
import VectorFiles

/// The vector files of Tests/Vectors/near, read at run time.
///
/// A row that cannot be parsed is skipped; the counts in `NEP413VectorTests` reveal it.
enum Vectors {
    static let messages = rows("nep413.json").compactMap(MessageVector.init)
    static let negatives = rows("nep413_negative.json").compactMap(MessageVector.init)
    static let encodings = rows("nep413_signature_encodings.json").compactMap(EncodingVector.init)

    static func file(_ name: String) -> JSON { VectorFile.read("Vectors/near/\(name)") }

    static func message(_ id: String) throws -> MessageVector {
        try #require(messages.first { $0.id == id })
    }

    private static func rows(_ name: String) -> [JSON] { file(name)["vectors"]?.list ?? [] }
}

struct MessageVector: Sendable, CustomTestStringConvertible {
    let json: JSON
    let id: String
    let message: String
    let nonce: [UInt8]
    let recipient: String
    let publicKey: String
    let signature: String

    init?(_ json: JSON) {
        guard let id = json["id"]?.text, let message = json["message"]?.text,
            let nonce = json["nonceHex"]?.text.flatMap({ try? Hex.decode($0) }),
            let recipient = json["recipient"]?.text, let publicKey = json["publicKey"]?.text,
            let signature = json["signatureBase64"]?.text
        else { return nil }
        self.json = json
        self.id = id
        self.message = message
        self.nonce = nonce
        self.recipient = recipient
        self.publicKey = publicKey
        self.signature = signature
    }

    var testDescription: String { id }
    var callbackURL: String? { json["callbackUrl"]?.text }
    var secretKey: String? { json["secretKey"]?.text }
    /// The account of vectors that name none.
    var accountID: String { json["accountId"]?.text ?? "nobody.near" }

    /// The signed members, with the nonce in NEP-413's usual Base64.
    var members: [JSONObject.Member] {
        var members: [JSONObject.Member] = [
            .init(name: "message", value: .string(message)),
            .init(name: "recipient", value: .string(recipient)),
            .init(name: "nonce", value: .string(Base64.encode(nonce.span))),
        ]
        if let callbackURL {
            members.append(.init(name: "callbackUrl", value: .string(callbackURL)))
        }
        return members
    }

    var frame: [UInt8] { JSON.object(JSONObject(members)).write() }

    /// The message with its signature, as a verifier receives it.
    func statement(_ more: [JSONObject.Member] = []) -> [UInt8] {
        let signed: [JSONObject.Member] = [
            .init(name: "publicKey", value: .string(publicKey)),
            .init(name: "signature", value: .string(signature)),
        ]
        return JSON.object(JSONObject(members + signed + more)).write()
    }
}

struct EncodingVector: Sendable, CustomTestStringConvertible {
    let text: String
    let isAccepted: Bool
    let testDescription: String

    init?(_ json: JSON) {
        guard let text = json["text"]?.text, let isAccepted = json["acceptIfLiberal"]?.flag,
            let name = json["name"]?.text
        else { return nil }
        self.text = text
        self.isAccepted = isAccepted
        testDescription = name
    }
}
