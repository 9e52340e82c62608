// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore

/// A private zap: a zap request (9734) that hides its sender and a message in its `anon` tag.
///
/// No NIP defines it; Damus, Amethyst and Amber follow nips PR 1040, which was never merged.
package struct Zap: Hashable, Sendable {
    /// The one-time key that signed the request.
    package let oneTimeKey: [UInt8]
    package let createdAt: Int64
    /// The receiver of the zap: the value of its only `p` tag.
    package let receiver: [UInt8]
    /// The id of the event that is zapped, as hex; nil if a profile is zapped.
    package let zapped: String?
    /// The encrypted part: the IV, then the ciphertext.
    package let payload: [UInt8]
    /// True if the client sent the receipt (9735), which proves the payment.
    package let isReceipt: Bool

    package static let requestKind: UInt16 = 9_734
    package static let receiptKind: UInt16 = 9_735
    package static let innerKind: UInt16 = 9_733

    /// Parses a zap request, or the request in a receipt; every signature must be valid.
    package init(
        _ text: String, limits: NostrLimits, verify: (SignatureClaim) -> Bool
    ) throws(NostrRefusal) {
        let event = try Self.signed(text, limits, verify)
        isReceipt = event.event.kind.number == Self.receiptKind
        let request: SignedEvent
        if isReceipt {
            guard let description = event.event.onlyValue(of: "description") else {
                throw .invalid("event: a zap receipt must have one description")
            }
            request = try Self.signed(description, limits, verify)
        } else {
            request = event
        }
        guard request.event.kind.number == Self.requestKind else {
            throw .invalid("event must be a zap request (9734) or a zap receipt (9735)")
        }
        guard let receiver = request.event.onlyValue(of: "p").flatMap(Self.key) else {
            throw .invalid("event: a zap request must name one receiver in a p tag")
        }
        self.receiver = receiver
        zapped = try Self.zapped(request.event)
        oneTimeKey = request.author
        createdAt = request.event.createdAt
        payload = try Self.payload(request.event)
    }

    /// Returns the operation of the key store for the sender or the receiver.
    package func operation(for account: Account) -> KeyOperation {
        guard account.publicKey != receiver else {
            return .decrypt(.privateZap, peer: oneTimeKey, payload: payload)
        }
        let subject = zapped ?? Hex.encode(receiver.span)
        return .decrypt(
            .sentPrivateZap(
                oneTimeKey: oneTimeKey, context: Array("\(subject)\(createdAt)".utf8)),
            peer: receiver, payload: payload)
    }

    /// Returns the inner event if it is valid; nil for any other bytes, without a reason.
    ///
    /// It must be signed, of its kind, about the same zap, and by the sender that is shown.
    package func inner(_ bytes: [UInt8], verify: (SignatureClaim) -> Bool) -> String? {
        guard let text = try? UTF8Text.decode(bytes.span),
            let members = (try? JSON.parse(bytes.span))?.object,
            let inner = try? SignedEvent(members), verify(inner.claim),
            inner.event.kind.number == Self.innerKind,
            inner.event.onlyValue(of: "p").flatMap(Self.key) == receiver,
            (try? Self.zapped(inner.event)) == .some(zapped)
        else { return nil }
        return text
    }

    private static func signed(
        _ text: String, _ limits: NostrLimits, _ verify: (SignatureClaim) -> Bool
    ) throws(NostrRefusal) -> SignedEvent {
        let members = try EventTemplate.members(text, limits)
        let event = try SignedEvent(members)
        guard verify(event.claim) else { throw .invalid("event: its id or signature is wrong") }
        return event
    }

    private static func key(_ text: String) -> [UInt8]? {
        guard let key = try? Hex.decode(text), key.count == PublicKeyText.keyBytes else {
            return nil
        }
        return key
    }

    private static func zapped(_ event: NostrEvent) throws(NostrRefusal) -> String? {
        guard event.tags.contains(where: { $0[0] == "e" }) else { return nil }
        guard let id = event.onlyValue(of: "e"), key(id) != nil else {
            throw .invalid("event: a zap request can name one event in an e tag")
        }
        return id
    }

    /// Parses `pzap1..._iv1...`; both parts are bech32.
    private static func payload(_ event: NostrEvent) throws(NostrRefusal) -> [UInt8] {
        let anonymous = event.tags.filter { $0[0] == "anon" }
        guard anonymous.count == 1 else {
            throw .invalid("event: this is not a private zap; it has no anon tag")
        }
        guard anonymous[0].count > 1, !anonymous[0][1].isEmpty else {
            throw .invalid("event: this zap is anonymous; it has no private content")
        }
        let parts = anonymous[0][1].split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count == 2, let (kind, ciphertext) = try? Bech32.decode(String(parts[0])),
            let (ivKind, iv) = try? Bech32.decode(String(parts[1])), kind == "pzap",
            ivKind == "iv", iv.count == NIP04Text.ivBytes
        else { throw .undecryptable }
        return iv + ciphertext
    }
}
