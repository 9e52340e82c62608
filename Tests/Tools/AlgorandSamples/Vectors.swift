// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs
import VectorFiles

/// The files of Tests/Vectors/algorand.
package enum Vectors {
    package static func load(_ name: String) throws -> JSON {
        try VectorFile.load("Vectors/algorand/\(name)")
    }

    package static func list(_ name: String, _ member: String) -> [JSON] {
        (try? load(name))?[member]?.list ?? []
    }

    package static func bytes(_ json: JSON?) throws -> [UInt8] {
        guard let text = json?.text else { throw VectorFile.Missing("a text in Base64") }
        return try Base64.decode(text)
    }
}

/// One row of transactions.json.
package struct TransactionRow: Sendable, CustomStringConvertible {
    package let json: JSON
    package var name: String { json["name"]?.text ?? "" }
    package var type: String { json["type"]?.text ?? "" }
    package var description: String { name }

    package static let all = Vectors.list("transactions.json", "transactions").map {
        TransactionRow(json: $0)
    }
    package static let offered = all.filter { !["stpf", "hb"].contains($0.type) }
    package static let others = all.filter { ["stpf", "hb"].contains($0.type) }

    package func bytes() throws -> [UInt8] { try Vectors.bytes(json["txn_b64"]) }
    package func signed() throws -> [UInt8] { try Vectors.bytes(json["stxn_b64"]) }
    package func seed() throws -> [UInt8] { try Vectors.bytes(json["signer_seed_b64"]) }
    /// True if the transaction has only a plain signature.
    package var isPlain: Bool { json["auth"] == ["sig"] }
    package var isResignable: Bool { isPlain && json["signer_seed_b64"] != nil }
    package var hasValidSignature: Bool { isPlain && json["sig_valid"] != false }

    /// Vectors that no network accepts: 1,001 rounds lie between their first and last round.
    package static let tooLongValid = [
        "py-sdk/test-serialize-asset-transfer-1", "py-sdk/test-serialize-asset-freeze-1",
    ]
}
