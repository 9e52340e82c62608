// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// The signed part of a Nostr event, without its author.
package struct NostrEvent: Hashable, Sendable {
    package let createdAt: Int64
    package let kind: EventKind
    package let tags: [[String]]
    package let content: String

    package init(createdAt: Int64, kind: EventKind, tags: [[String]], content: String) {
        self.createdAt = createdAt
        self.kind = kind
        self.tags = tags
        self.content = content
    }

    /// Returns the NIP-01 serialization, whose SHA-256 is the event id.
    package func preimage(publicKey: String) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(128 + content.utf8.count + 64 * tags.count)
        // Written without an intermediate string, because each request needs it twice.
        output.append(contentsOf: "[0,\"".utf8)
        output.append(contentsOf: publicKey.utf8)
        output.append(contentsOf: "\",".utf8)
        output.append(contentsOf: String(createdAt).utf8)
        output.append(UInt8(ascii: ","))
        output.append(contentsOf: String(kind.number).utf8)
        output.append(UInt8(ascii: ","))
        appendTags(to: &output)
        output.append(UInt8(ascii: ","))
        JSONText.appendQuoted(content, to: &output)
        output.append(UInt8(ascii: "]"))
        return output
    }

    /// Returns the signed event as JSON.
    package func json(id: [UInt8], publicKey: [UInt8], signature: [UInt8]) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(384 + content.utf8.count + 64 * tags.count)
        let id = Hex.encode(id.span)
        let publicKey = Hex.encode(publicKey.span)
        output.append(
            contentsOf: """
                {"id":"\(id)","pubkey":"\(publicKey)",\
                "created_at":\(createdAt),"kind":\(kind.number),"tags":
                """.utf8)
        appendTags(to: &output)
        output.append(contentsOf: ",\"content\":".utf8)
        JSONText.appendQuoted(content, to: &output)
        output.append(contentsOf: ",\"sig\":\"\(Hex.encode(signature.span))\"}".utf8)
        return String(decoding: output, as: UTF8.self)
    }

    private func appendTags(to output: inout [UInt8]) {
        output.append(UInt8(ascii: "["))
        for (index, tag) in tags.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            output.append(UInt8(ascii: "["))
            for (index, item) in tag.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                JSONText.appendQuoted(item, to: &output)
            }
            output.append(UInt8(ascii: "]"))
        }
        output.append(UInt8(ascii: "]"))
    }
}

extension NostrEvent {
    /// The identifier of an addressable event: the value of the first `d` tag, or empty (NIP-01).
    package var identifier: String {
        guard let tag = tags.first(where: { $0[0] == "d" }), tag.count > 1 else { return "" }
        return tag[1]
    }

    /// Returns the value of the only tag with a name; nil if there are several or it has no value.
    package func onlyValue(of name: String) -> String? {
        let found = tags.filter { $0[0] == name }
        guard found.count == 1, found[0].count > 1 else { return nil }
        return found[0][1]
    }
}
