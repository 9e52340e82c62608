// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SigningCodecs
import Testing

@testable import Algorand

/// The files of Tests/Vectors/algorand.
enum Vectors {
    static func load(_ name: String) throws -> JSON {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Vectors/algorand")
        let bytes = [UInt8](try Data(contentsOf: folder.appending(path: name)))
        return try JSON.parse(bytes.span, limits: JSONLimits(bytesMax: 4 << 20))
    }

    static func list(_ name: String, _ member: String) -> [JSON] {
        (try? load(name))?[member]?.list ?? []
    }

    static func bytes(_ json: JSON?) throws -> [UInt8] {
        try Base64.decode(try #require(json?.text))
    }
}

/// One request with its answer.
struct Conversation: Sendable, CustomTestStringConvertible {
    let json: JSON
    var name: String { json["name"]?.text ?? "" }
    var testDescription: String { name }
    var response: JSON? { json["response"]?["json"] }

    static let all = Vectors.list("arc27_messages.json", "conversations").map {
        Conversation(json: $0)
    }

    /// The request's frame in one of its forms.
    func frame(_ form: FrameForm) throws -> String {
        guard form != .json else {
            let json = try #require(json["request"]?["json"])
            return String(decoding: json.write(), as: UTF8.self)
        }
        return try #require(json["request"]?[form.rawValue]?.text)
    }
}

/// The forms the vectors write every request in.
enum FrameForm: String, CaseIterable {
    case json
    case definite = "frame_b64url"
    case cborX = "cborx_frame_b64url"
    case indefinite = "indefinite_frame_b64url"
}

/// One row of transactions.json.
struct TransactionRow: Sendable, CustomTestStringConvertible {
    let json: JSON
    var name: String { json["name"]?.text ?? "" }
    var type: String { json["type"]?.text ?? "" }
    var testDescription: String { name }

    static let all = Vectors.list("transactions.json", "transactions").map {
        TransactionRow(json: $0)
    }
    static let offered = all.filter { !["stpf", "hb"].contains($0.type) }
    static let others = all.filter { ["stpf", "hb"].contains($0.type) }

    func bytes() throws -> [UInt8] { try Vectors.bytes(json["txn_b64"]) }
    func signed() throws -> [UInt8] { try Vectors.bytes(json["stxn_b64"]) }
    func seed() throws -> [UInt8] { try Vectors.bytes(json["signer_seed_b64"]) }
    /// Whether it carries a plain signature and nothing else.
    var isPlain: Bool { json["auth"] == ["sig"] }
    var isResignable: Bool { isPlain && json["signer_seed_b64"] != nil }
    var hasValidSignature: Bool { isPlain && json["sig_valid"] != false }
}
