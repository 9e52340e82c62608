// SPDX-License-Identifier: Apache-2.0

import Nostr
public import SigningCodecs
import SigningCore

/// An event that a client asks to have signed or read, as a signer understands it.
public struct RequestedEvent: Hashable, Sendable {
    private let template: EventTemplate

    /// Reads the JSON of an event.
    public init(_ json: String, limits: NIP155Limits) throws(NIP155Refusal) {
        template = try NIP155Refusal.converting(
            EventTemplate(json, now: Timestamp(seconds: 0), limits: limits.ofTasks))
    }

    /// The kind of the event.
    public var kind: UInt16 { template.event.kind.number }

    /// Returns true if a signed event has everything that the client wrote, byte for byte.
    ///
    /// No signature is verified.
    public func isAnswered(by json: JSON) throws(NIP155Refusal) -> Bool {
        let answer = try NIP155Refusal.converting(NostrEvent(signed: json))
        let event = template.event
        let expected = NostrEvent(
            createdAt: template.isDated ? event.createdAt : answer.createdAt, kind: event.kind,
            tags: event.tags, content: event.content)
        return expected.preimage(publicKey: "") == answer.preimage(publicKey: "")
    }
}

extension NostrEvent {
    /// Reads the signed members of a published event.
    fileprivate init(signed json: JSON) throws(NostrRefusal) {
        self.init(
            createdAt: try Self.createdAt(json["created_at"]), kind: try Self.kind(json["kind"]),
            tags: try Self.tags(json["tags"]), content: try Self.content(json["content"]))
    }
}
