// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
public import SigningCore

extension NIP155Adapter: SignedStatementReader {
    /// Takes a signed event apart; its JSON must keep the rules of NIP-01.
    public func readSigned(_ bytes: Span<UInt8>) throws(StatementError) -> SignedStatement {
        let members: JSONObject
        do throws(CodecError) {
            guard let object = try JSON.parse(bytes).object else {
                throw .malformed("no JSON object", at: 0)
            }
            members = object
        } catch {
            throw StatementError("the event is not strict JSON: \(error.text)")
        }
        do throws(WireFault) {
            return try Self.statement(members)
        } catch {
            throw StatementError(error.reason)
        }
    }

    private static func statement(_ members: JSONObject) throws(WireFault) -> SignedStatement {
        let event = NostrEvent(
            createdAt: try NostrEvent.createdAt(members["created_at"]),
            kind: try NostrEvent.kind(members["kind"]),
            tags: try NostrEvent.tags(members["tags"]),
            content: try NostrEvent.content(members["content"]))
        let id = try NostrEvent.bytes(members["id"], count: 32, named: "id")
        let author = try NostrEvent.bytes(members["pubkey"], count: 32, named: "pubkey")
        let signature = try NostrEvent.bytes(members["sig"], count: 64, named: "sig")
        let npub = PublicKeyText.npub(author)
        let claim = SignatureClaim(
            signer: npub, scheme: .bip340, publicKey: author, signature: signature,
            readings: [
                SignatureClaim.Reading(
                    name: "NIP-01", preimage: event.preimage(publicKey: Hex.encode(author.span)),
                    prehash: .sha256)
            ], statedMessage: id)
        let summary = Summary(
            title: "Signed Nostr event: \(event.kind.label)",
            lines: [Summary.Line("author", npub)] + event.lines(isDated: true), warnings: [])
        return SignedStatement(summary: summary, signatures: [claim])
    }
}
