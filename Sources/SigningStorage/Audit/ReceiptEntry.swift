// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import SigningFiles

/// The JSON form of an entry in a receipt.
extension AuditEntry {
    var json: JSON {
        .sorted([
            "sequence": .integer(sequence), "body": .string(body),
            "previous": .string(Hex.encode(previousHash.span)),
            "hash": .string(Hex.encode(hash.span)),
        ])
    }

    init?(json: JSON) {
        guard let sequence = json["sequence"]?.integerValue, (1..<Int64.max).contains(sequence),
            let body = json["body"]?.text,
            let previous = json.hexBytes("previous"), let hash = json.hexBytes("hash"),
            let content = try? EntryBody(Array(body.utf8)), content.time.isPossible
        else { return nil }
        self.init(
            sequence: sequence, time: content.time, kind: content.entry.kind.rawValue, body: body,
            previousHash: previous, hash: hash)
    }
}
