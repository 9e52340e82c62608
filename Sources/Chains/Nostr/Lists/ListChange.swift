// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

/// What becomes of a list when an event replaces it.
struct ListChange: Hashable, Sendable {
    /// The name under which the list is noted.
    let name: String
    /// The list as it will be.
    let entries: ListEntries
    /// How many entries it had when it was last signed here; nil before that.
    let countBefore: Int64?
    /// The entries it loses; nil where they cannot be told.
    let gone: [ListEntries.Entry]?
    /// How many entries are new; nil where it cannot be told.
    let comeCount: Int?
    /// The bytes of its content, where private entries lie encrypted.
    let privateBytes: Int
    /// The same when it was last signed here.
    let privateBytesBefore: Int64

    /// Whether private entries go: their ciphertext is shorter only without some.
    var losesPrivate: Bool { Int64(privateBytes) < privateBytesBefore }

    /// Whether anything goes, or may go; an entry for an entry is a loss as well.
    var isLoss: Bool { losesPrivate || (countBefore != nil && gone?.isEmpty != true) }

    /// The change against what is on record of the list.
    init(_ event: NostrEvent, named name: String, noted: (String) -> Note?) {
        self.name = name
        entries = ListEntries(of: event)
        // Some clients leave words there that are no entries (NIP-02).
        privateBytes = event.kind.isFollows ? 0 : event.content.utf8.count
        privateBytesBefore = noted(Self.privateNote(name))?.value ?? 0
        let note = noted(name)
        countBefore = note?.value
        let before = note.flatMap { ListEntries(detail: $0.detail, count: $0.value) }
        gone = before.map { [entries] in $0.without(entries) }
        comeCount = before.map { [entries] in entries.without($0).count }
    }

    /// What is kept of the list for the next one of its name.
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
            ("list.gone", gone.map { Int128($0.count) }),
            ("list.new", comeCount.map { Int128($0) }),
        ]
        return [
            Fact("list.count", .integer(Int128(entries.count))),
            Fact("list.loses_private", .bool(losesPrivate)),
        ] + counts.compactMap { name, count in count.map { Fact(name, .integer($0)) } }
    }

    /// The facts that a remembered yes would need and that nobody can tell.
    var undetermined: [String] { countBefore != nil && gone == nil ? ["list.gone"] : [] }

    /// What goes, before all else that is shown of the event.
    var headlines: [Summary.Headline] {
        var headlines: [Summary.Headline] = []
        if let countBefore, gone?.isEmpty != true {
            let text =
                gone.map { "takes \($0.count) of \(countBefore) entries off the list" }
                ?? "may take entries off the list: which \(countBefore) it had is not known"
            headlines.append(.init(.flagged, text))
        }
        if losesPrivate {
            headlines.append(.init(.flagged, "takes private entries off the list"))
        }
        return headlines
    }

    /// The most entries that are named among the lines; the details name all.
    static let namedMax = 12

    /// How many entries there are and were, and which go.
    var lines: [Summary.Line] {
        var lines = [Summary.Line("entries", countText)]
        if losesPrivate {
            let now = privateBytes == 0 ? "gone" : "\(privateBytes) bytes"
            lines.append(
                Summary.Line("private part", "\(now); \(privateBytesBefore) bytes before"))
        }
        let named = (gone ?? []).prefix(Self.namedMax)
        lines += named.map { entry in
            entry.npub.map { Summary.Line("goes", $0) }
                ?? Summary.Line("goes", parts: [entry.tag, entry.value], by: .client)
        }
        let more = (gone?.count ?? 0) - named.count
        if more > 0 { lines.append(Summary.Line("goes", "\(more) more; the details name all")) }
        return lines
    }

    private var countText: String {
        guard let countBefore else { return "\(entries.count); it was not signed here before" }
        let before = "\(entries.count); \(countBefore) when it was last signed here"
        guard let gone, let comeCount else {
            return before + "; which of them go is not known"
        }
        return before + ": \(gone.count) go, \(comeCount) are new"
    }

    /// Every entry that goes, for the details.
    var raw: [Summary.Raw] {
        guard let gone, gone.count > Self.namedMax else { return [] }
        let rows = gone.map { JSON.array([.string($0.tag), .string($0.value)]) }
        return [Summary.Raw("entries that go", JSON.array(rows).write())]
    }
}

extension ListEntries.Entry {
    /// The key of somebody who stands in a list, as people know it.
    fileprivate var npub: String? {
        guard tag == "p", let key = try? Hex.decode(value) else { return nil }
        return PublicKeyText.npub(key)
    }
}

extension NostrEvent {
    /// The longest identifier of a list that is noted, in bytes.
    static let listNameBytesMax = 256

    /// The name under which this list is noted; nil for what is no list.
    var listNote: String? {
        guard kind.isList else { return nil }
        guard kind.isAddressable else { return "list/\(kind.number)" }
        let name = identifier
        return name.utf8.count <= Self.listNameBytesMax ? "list/\(kind.number)/\(name)" : nil
    }

    /// The change against the list last signed; nil for what is no list.
    func listChange(of account: Account, in context: DecodingContext) -> ListChange? {
        listNote.map { name in
            ListChange(self, named: name) { context.noted($0, .key(account.id)) }
        }
    }
}
