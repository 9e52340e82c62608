// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// The public entries of a list (NIP-02, NIP-51), without repetition, in the order of its tags.
struct ListEntries: Hashable, Sendable {
    /// An entry: the name of its tag and its first value.
    ///
    /// Entries are compared by bytes, so look-alikes in Unicode differ.
    struct Entry: Hashable, Sendable {
        let tag: String
        let value: String

        static func == (left: Self, right: Self) -> Bool {
            left.tag.utf8.elementsEqual(right.tag.utf8)
                && left.value.utf8.elementsEqual(right.value.utf8)
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(Array(tag.utf8))
            hasher.combine(Array(value.utf8))
        }
    }

    let entries: [Entry]

    var count: Int { entries.count }

    /// Reads the entries of an event; private entries are encrypted in its content.
    ///
    /// A tag without a value is not an entry: otherwise an emptied list could keep its count.
    init(of event: NostrEvent) {
        var entries: [Entry] = []
        var seen: Set<Entry> = []
        for tag in event.tags {
            guard let entry = Self.entry(tag, of: event.kind) else { continue }
            if seen.insert(entry).inserted { entries.append(entry) }
        }
        self.entries = entries
    }

    private static func entry(_ tag: [String], of kind: EventKind) -> Entry? {
        guard tag.count > 1, !tag[1].isEmpty else { return nil }
        let isKey = tag[0] == "p" || (tag[0] == "e" && !kind.isFollows)
        let isNamed = isKey ? key(tag[1]) != nil : !kind.isFollows && named.contains(tag[0])
        return isNamed ? Entry(tag: tag[0], value: tag[1]) : nil
    }

    /// The tags that are entries in NIP-51 and NIP-61, besides `p` and `e`.
    private static let named: Set = [
        "a", "r", "t", "word", "relay", "group", "emoji", "server", "url", "i", "k", "q", "mint",
        "pubkey",
    ]

    private static func key(_ text: String) -> [UInt8]? {
        guard text.utf8.count == 64 else { return nil }
        return try? Hex.decode(text)
    }

    /// Returns the entries of this list that are not in another list.
    func without(_ other: ListEntries) -> [Entry] {
        let theirs = Set(other.entries)
        return entries.filter { !theirs.contains($0) }
    }
}

extension ListEntries {
    /// The entries in the form of a note; a public key takes 32 bytes.
    var detail: [UInt8] {
        var writer = BorshWriter(expecting: 40 * count)
        for entry in entries {
            writer.string(entry.tag)
            let key = Self.key(entry.value)
            writer.u8(key == nil ? 0 : 1)
            if let key { writer.append(key) } else { writer.string(entry.value) }
        }
        return writer.bytes
    }

    /// Reads the form of a note; nil if the number of entries differs, so that the list is
    /// incomplete.
    init?(detail: [UInt8], count: Int64) {
        guard let entries = try? Self.entries(detail), Int64(entries.count) == count else {
            return nil
        }
        self.entries = entries
    }

    private static func entries(_ detail: [UInt8]) throws(CodecError) -> [Entry] {
        var reader = BorshReader(detail)
        var entries: [Entry] = []
        while reader.offset < detail.count {
            let tag = try reader.string(countMax: detail.count)
            if try reader.option() {
                let key = try reader.fixed(32)
                entries.append(Entry(tag: tag, value: Hex.encode(key.span)))
            } else {
                entries.append(Entry(tag: tag, value: try reader.string(countMax: detail.count)))
            }
        }
        return entries
    }
}
