// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore

extension SignedEvent {
    /// Parses a signed event; its JSON must follow the rules of NIP-01.
    package static func statement(
        _ bytes: Span<UInt8>
    ) throws(StatementError) -> SignedStatement {
        let members: JSONObject
        do throws(CodecError) {
            guard let object = try JSON.parse(bytes).object else {
                throw .malformed("not a JSON object", at: 0)
            }
            members = object
        } catch {
            throw StatementError("the event is not strict JSON: \(error.text)")
        }
        do throws(NostrRefusal) {
            return try statement(members)
        } catch {
            throw StatementError(error.reason)
        }
    }

    private static func statement(_ members: JSONObject) throws(NostrRefusal) -> SignedStatement {
        let signed = try SignedEvent(members)
        let author = PublicKeyText.npub(signed.author)
        let summary = Summary(
            title: "Signed Nostr event: \(signed.event.kind.label)",
            lines: [Summary.Line("author", author)] + signed.event.lines(isDated: true),
            warnings: [])
        return SignedStatement(
            summary: summary, signatures: [signed.claim],
            authors: [StatementAuthor(author, key: .ownKey)])
    }
}
