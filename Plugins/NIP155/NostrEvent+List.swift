// SPDX-License-Identifier: Apache-2.0

import SigningCore

/// What becomes of a public list (NIP-02, NIP-51) when an event replaces it.
struct ListChange: Hashable, Sendable {
    /// The entries of the new list.
    let count: Int
    /// The entries when this list was last signed here; nil before that.
    let countBefore: Int64?

    var isShrinking: Bool { countBefore.map { Int64(count) < $0 } ?? false }

    var facts: [Fact] {
        [Fact("list.count", .integer(Int128(count)))]
            + (countBefore.map { [Fact("list.before", .integer(Int128($0)))] } ?? [])
    }

    /// The change in words.
    var text: String {
        guard let countBefore else { return "\(count); it was not signed here before" }
        return "\(count); \(countBefore) when it was last signed here"
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

    /// The public entries; private ones lie encrypted in the content.
    var listCount: Int { tags.count { !Self.describing.contains($0[0]) } }

    /// The change against the list last signed; nil for what is no list.
    func listChange(of account: Account, in context: DecodingContext) -> ListChange? {
        guard let name = listNote else { return nil }
        return ListChange(
            count: listCount, countBefore: context.noted(name, .key(account.id)))
    }
}
