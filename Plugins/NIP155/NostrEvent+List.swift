// SPDX-License-Identifier: Apache-2.0

import SigningCore

/// What becomes of a public list (NIP-02, NIP-51) when an event replaces it.
struct ListChange: Hashable, Sendable {
    /// The entries of the new list.
    let count: Int
    /// The entries when this list was last signed here; nil before that.
    let countBefore: Int64?
    /// Whether it had private entries when it was last signed here, and has none now.
    let losesPrivate: Bool

    var isShrinking: Bool { losesPrivate || countBefore.map { Int64(count) < $0 } ?? false }

    var facts: [Fact] {
        [
            Fact("list.count", .integer(Int128(count))),
            Fact("list.loses_private", .bool(losesPrivate)),
        ] + (countBefore.map { [Fact("list.before", .integer(Int128($0)))] } ?? [])
    }

    /// The change in words.
    var text: String {
        let loss = losesPrivate ? "; the private ones are gone" : ""
        guard let countBefore else { return "\(count); it was not signed here before\(loss)" }
        return "\(count); \(countBefore) when it was last signed here\(loss)"
    }
}

extension NostrEvent {
    /// The longest identifier of a list whose size is noted, in bytes.
    static let listNameBytesMax = 256

    /// The name under which the size of this list is noted; nil for what is no list.
    var listNote: String? {
        guard kind.isList else { return nil }
        guard kind.isAddressable else { return "list/\(kind.number)" }
        let name = identifier
        return name.utf8.count <= Self.listNameBytesMax ? "list/\(kind.number)/\(name)" : nil
    }

    /// Tags that describe a list and are no entries of it.
    private static let describing: Set = [
        "d", "title", "name", "image", "description", "alt", "client",
    ]

    /// The public entries, each once; private ones lie encrypted in the content.
    ///
    /// What names nothing is no entry: with it a list could be emptied and keep its count.
    var listCount: Int {
        var entries: Set<[String]> = []
        for tag in tags where !Self.describing.contains(tag[0]) && isEntry(tag) {
            entries.insert([tag[0], tag[1]])
        }
        return entries.count
    }

    /// Whether a tag names somebody or something that stands in a list of this kind.
    private func isEntry(_ tag: [String]) -> Bool {
        guard tag.count > 1, !tag[1].isEmpty else { return false }
        guard tag[0] == "p" || (tag[0] == "e" && kind.number != 3) else {
            return kind.number != 3 && Self.named.contains(tag[0])
        }
        return tag[1].utf8.count == 64
            && tag[1].utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    /// The tags that stand for entries in NIP-51, besides `p` and `e`.
    private static let named: Set = [
        "a", "r", "t", "word", "relay", "group", "emoji", "server", "url", "i", "k", "q",
    ]

    /// What is kept of a list for the next one of its name.
    func listNotes(of account: Account) -> [Note] {
        guard let name = listNote else { return [] }
        return [
            Note(.key(account.id), name, Int64(listCount)),
            Note(.key(account.id), Self.privateNote(name), content.isEmpty ? 0 : 1),
        ]
    }

    private static func privateNote(_ name: String) -> String { "private-" + name }

    /// The change against the list last signed; nil for what is no list.
    func listChange(of account: Account, in context: DecodingContext) -> ListChange? {
        guard let name = listNote else { return nil }
        let hadPrivate = context.noted(Self.privateNote(name), .key(account.id)) == 1
        return ListChange(
            count: listCount, countBefore: context.noted(name, .key(account.id)),
            losesPrivate: hadPrivate && content.isEmpty)
    }
}
