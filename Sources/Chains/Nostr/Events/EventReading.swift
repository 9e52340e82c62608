// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs

/// The rules for the members of an event; they apply to templates, preimages and events.
extension NostrEvent {
    /// The end of the year 9999, the latest date that most libraries can write, in Unix seconds.
    package static let createdAtMax: Int64 = 253_402_300_799

    package static func createdAt(_ value: JSON?) throws(NostrRefusal) -> Int64 {
        guard let seconds = value?.integerValue, (0...createdAtMax).contains(seconds) else {
            throw .invalid("event: created_at must be an integer of seconds, 0 to \(createdAtMax)")
        }
        return seconds
    }

    package static func kind(_ value: JSON?) throws(NostrRefusal) -> EventKind {
        guard let number = value?.integerValue, let number = UInt16(exactly: number) else {
            throw .invalid("event: kind must be an integer from 0 to 65535")
        }
        return EventKind(number)
    }

    package static func tags(_ value: JSON?) throws(NostrRefusal) -> [[String]] {
        guard let list = value?.list else { throw .invalid("event: tags must be an array") }
        var tags: [[String]] = []
        tags.reserveCapacity(list.count)
        for tag in list {
            guard let items = tag.list, !items.isEmpty else {
                throw .invalid("event: every tag must be an array that is not empty")
            }
            var texts: [String] = []
            texts.reserveCapacity(items.count)
            for item in items {
                guard let text = item.text else {
                    throw .invalid("event: every item of a tag must be a string")
                }
                texts.append(text)
            }
            tags.append(texts)
        }
        return tags
    }

    package static func content(_ value: JSON?) throws(NostrRefusal) -> String {
        guard let text = value?.text else { throw .invalid("event: content must be a string") }
        return text
    }

    /// Returns bytes of lower-case hex, the encoding of all bytes in an event.
    package static func bytes(
        _ value: JSON?, count: Int, named name: StaticString
    ) throws(NostrRefusal) -> [UInt8] {
        guard let bytes = value?.text.flatMap({ try? Hex.decode($0) }), bytes.count == count else {
            throw .invalid("event: \(name) must be \(2 * count) lower-case hex digits")
        }
        return bytes
    }
}
