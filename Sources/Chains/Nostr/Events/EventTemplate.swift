// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs
package import SigningCore

/// An event that a client asks to have signed.
package struct EventTemplate: Hashable, Sendable {
    package let event: NostrEvent
    /// The author that the client wrote; the account's key replaces it.
    package let claimedKey: [UInt8]?
    /// True if the client set the time.
    package let isDated: Bool
    /// True if the client wrote every signed member, so that a bare signature is enough for it.
    package let isComplete: Bool

    /// Parses a template; members that are not signed are ignored.
    package init(_ text: String, now: Timestamp, limits: NostrLimits) throws(NostrRefusal) {
        let members = try Self.members(text, limits)
        let createdAt = members["created_at"]
        let tags = members["tags"]
        event = NostrEvent(
            createdAt: try createdAt.map { (value) throws(NostrRefusal) in
                try NostrEvent.createdAt(value)
            } ?? max(0, now.seconds),
            kind: try NostrEvent.kind(members["kind"]),
            tags: try tags.map { (value) throws(NostrRefusal) in try NostrEvent.tags(value) } ?? [],
            content: try NostrEvent.content(members["content"]))
        guard event.tags.count <= limits.tagsMax else {
            throw .tooLarge("event has more than \(limits.tagsMax) tags")
        }
        guard !event.kind.isNeverSigned else {
            throw .invalid("event: kind \(event.kind.number) is sealed and never signed (NIP-17)")
        }
        // Programs differ in which of two `d` tags they use, so one event could be shown and
        // another one replaced.
        guard !event.kind.isAddressable || event.tags.count(where: { $0[0] == "d" }) <= 1 else {
            throw .invalid("event: it must not have several d tags")
        }
        claimedKey = try Self.author(members["pubkey"])
        isDated = createdAt != nil
        isComplete = createdAt != nil && tags != nil
    }

    /// Returns the author; libraries write a missing author as an empty string or null.
    private static func author(_ value: JSON?) throws(NostrRefusal) -> [UInt8]? {
        guard let value, value != .null, value.text != "" else { return nil }
        return try NostrEvent.bytes(value, count: PublicKeyText.keyBytes, named: "pubkey")
    }

    /// Parses the members of an event in any form as strict JSON.
    package static func members(
        _ text: String, _ limits: NostrLimits
    ) throws(NostrRefusal) -> JSONObject {
        guard text.utf8.count <= limits.eventBytesMax else {
            throw .tooLarge("event", bytesMax: limits.eventBytesMax)
        }
        let json: JSON
        do throws(CodecError) {
            json = try JSON.parse(text.utf8.span)
        } catch {
            throw .invalid("event is not strict JSON: \(error.text)")
        }
        guard let object = json.object else { throw .invalid("event must be a JSON object") }
        return object
    }
}
