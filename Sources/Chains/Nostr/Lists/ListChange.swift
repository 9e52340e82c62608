// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

/// The change of a list when an event replaces it.
struct ListChange: Hashable, Sendable {
    /// The name of the note about the list.
    let name: String
    /// The new entries.
    let entries: ListEntries
    /// The number of entries when it was last signed here; nil before the first time.
    let countBefore: Int64?
    /// The removed entries; nil if they are unknown.
    let removed: [ListEntries.Entry]?
    /// The added entries; nil if they are unknown.
    let added: [ListEntries.Entry]?
    /// The entries that the list had when it was last signed here, and still has.
    private let unchanged: Set<ListEntries.Entry>
    /// The length of the content, which holds the encrypted private entries, in bytes.
    let privateBytes: Int
    /// The length of the content when it was last signed here, in bytes.
    let privateBytesBefore: Int64

    /// True if private entries are removed: only then the ciphertext is shorter.
    var losesPrivate: Bool { Int64(privateBytes) < privateBytesBefore }

    /// True if an entry is or may be removed; a replaced entry counts as removed.
    var isLoss: Bool { losesPrivate || (countBefore != nil && removed?.isEmpty != true) }

    /// Compares the event with the note about the list.
    init(_ event: NostrEvent, named name: String, noted: (String) -> Note?) {
        self.name = name
        entries = ListEntries(of: event)
        // Some clients write text there that is not an entry (NIP-02).
        privateBytes = event.kind.isFollows ? 0 : event.content.utf8.count
        privateBytesBefore = noted(Self.privateNote(name))?.value ?? 0
        let note = noted(name)
        countBefore = note?.value
        let before = note.flatMap { ListEntries(detail: $0.detail, count: $0.value) }
        removed = before.map { [entries] in $0.without(entries) }
        added = before.map { [entries] in entries.without($0) }
        unchanged = Set(before?.entries ?? []).intersection(entries.entries)
    }

    /// Returns the notes about the list for the next comparison.
    func notes(of account: Account) -> [Note] {
        [
            Note(.key(account.id), name, Int64(entries.count), detail: entries.detail),
            Note(.key(account.id), Self.privateNote(name), Int64(privateBytes)),
        ]
    }

    private static func privateNote(_ name: String) -> String { "private-" + name }
}

extension ListChange {
    var facts: [Fact] {
        let counts = [
            ("list.before", countBefore.map { Int128($0) }),
            ("list.gone", removed.map { Int128($0.count) }),
            ("list.new", added.map { Int128($0.count) }),
        ]
        return [
            Fact("list.count", .integer(Int128(entries.count))),
            Fact("list.loses_private", .bool(losesPrivate)),
        ] + counts.compactMap { name, count in count.map { Fact(name, .integer($0)) } }
    }

    /// The facts that a grant would need and that are unknown.
    var undetermined: [String] { countBefore != nil && removed == nil ? ["list.gone"] : [] }

    /// The removed entries, which are shown before all other lines of the event.
    var headlines: [Summary.Headline] {
        var headlines: [Summary.Headline] = []
        if let countBefore, removed?.isEmpty != true {
            let text =
                removed.map { "removes \($0.count) of \(countBefore) entries from the list" }
                ?? "may remove entries from the list: the \(countBefore) earlier entries are "
                + "not known"
            headlines.append(.init(.flagged, text))
        }
        if losesPrivate {
            headlines.append(.init(.flagged, "removes private entries from the list"))
        }
        return headlines
    }

    /// The maximum number of entries that the lines name; the details name all of them.
    static let namedMax = 12

    /// The number of entries before and after, and the removed and the added entries.
    var lines: [Summary.Line] {
        var lines = [Summary.Line("entries", countText)]
        if losesPrivate {
            let now = privateBytes == 0 ? "gone" : "\(privateBytes) bytes"
            lines.append(
                Summary.Line("private part", "\(now); \(privateBytesBefore) bytes before"))
        }
        return lines + Self.lines("removed", removed ?? []) + Self.lines("added", added ?? [])
    }

    private static func lines(_ label: String, _ entries: [ListEntries.Entry]) -> [Summary.Line] {
        let named = entries.prefix(namedMax)
        var lines = named.map { entry in
            entry.npub.map { Summary.Line(label, $0) }
                ?? Summary.Line(label, parts: [entry.tag, entry.value], by: .client)
        }
        let more = entries.count - named.count
        if more > 0 { lines.append(Summary.Line(label, "\(more) more; all are in the details")) }
        return lines
    }

    /// Returns whether a tag only repeats an entry of the list as it was last signed here.
    ///
    /// A tag with more, such as a relay or a name, may have changed there.
    func repeats(_ tag: [String]) -> Bool {
        tag.count == 2 && unchanged.contains(ListEntries.Entry(tag: tag[0], value: tag[1]))
    }

    private var countText: String {
        guard let countBefore else {
            return "\(entries.count); the list was not signed here before"
        }
        let before = "\(entries.count); \(countBefore) when it was last signed here"
        guard let removed, let added else {
            return before + "; which of them are removed is not known"
        }
        return before + ": \(removed.count) removed, \(added.count) new"
    }

    /// All removed entries, for the details.
    var raw: [Summary.Raw] {
        guard let removed, removed.count > Self.namedMax else { return [] }
        let rows = removed.map { JSON.array([.string($0.tag), .string($0.value)]) }
        return [Summary.Raw("removed entries", JSON.array(rows).write())]
    }
}

extension ListEntries.Entry {
    /// The public key of an entry as npub.
    fileprivate var npub: String? {
        guard tag == "p", let key = try? Hex.decode(value) else { return nil }
        return PublicKeyText.npub(key)
    }
}

extension NostrEvent {
    /// The maximum length of the identifier of a noted list, in bytes.
    static let listNameBytesMax = 256

    /// The name of the note about this list; nil for other events.
    var listNote: String? {
        guard kind.isList else { return nil }
        guard kind.isAddressable else { return "list/\(kind.number)" }
        let name = identifier
        return name.utf8.count <= Self.listNameBytesMax ? "list/\(kind.number)/\(name)" : nil
    }

    /// Returns the change since the list was last signed here; nil for other events.
    func listChange(of account: Account, in context: DecodingContext) -> ListChange? {
        listNote.map { name in
            ListChange(self, named: name) { context.noted($0, .key(account.id)) }
        }
    }
}
