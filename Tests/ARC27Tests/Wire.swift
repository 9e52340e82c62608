// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import Testing

/// Requests and answers as JSON.
enum Wire {
    static func request(_ method: String, _ params: JSON? = nil) -> String {
        var members: [JSONObject.Member] = [
            .init(name: "id", value: "request-1"),
            .init(name: "reference", value: .string("arc0027:\(method):request")),
        ]
        if let params { members.append(.init(name: "params", value: params)) }
        return String(decoding: JSON.object(JSONObject(members)).write(), as: UTF8.self)
    }

    static func signing(_ items: [JSON]) -> String {
        request("sign_transactions", ["txns": .array(items)])
    }

    static func signing(_ transactions: [[UInt8]]) -> String {
        signing(transactions.map { ["txn": .string(Base64.encode($0.span))] })
    }

    /// The answer in any of its forms; nil for silence.
    static func json(_ reply: Reply) throws -> JSON? {
        guard case .message(let bytes) = reply else { return nil }
        if bytes.first == UInt8(ascii: "{") {
            #expect(!bytes.contains(UInt8(ascii: "\n")))
            return try JSON.parse(bytes.span)
        }
        let text = String(decoding: bytes, as: UTF8.self)
        let cbor = try Base64.decode(text, alphabet: .url, padding: .forbidden)
        let value = try CBOR.decode(cbor.span)
        #expect(value.encode() == cbor, "definite and shortest")
        return try value.json()
    }

    static func error(_ reply: Reply) throws -> JSON {
        let answer = try json(reply)
        return try #require(answer?["error"])
    }
}
