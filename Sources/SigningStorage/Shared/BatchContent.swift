// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningCrypto
internal import SigningFiles

/// The content of a batch of a shared log: entries, the bytes that they name, and the digest of the
/// changes that they lead to (since shared format 19).
struct BatchContent: Hashable {
    /// The bodies of the entries, in their order.
    var entries: [[UInt8]]
    /// Texts of policies, details of notes and items for networks, by their SHA-256, and texts of
    /// questions, by the SHA-256 of the questions.
    var named: [[UInt8]: [UInt8]]
    /// `ChangeRecorder.digest` of the tables that hubs have alike.
    var digest: [UInt8]

    /// The form of the content in a batch.
    ///
    /// The digest; then for entries and named bytes the number of items (u32, big-endian), and each
    /// item with its number of bytes before it (u32). Named bytes follow their name, in the order
    /// of the names.
    var bytes: [UInt8] {
        var bytes = digest
        let items = named.map { $0.key + $0.value }.sorted { $0.lexicographicallyPrecedes($1) }
        for list in [entries, items] {
            bytes.append(bigEndian: UInt32(truncatingIfNeeded: list.count))
            for item in list {
                bytes.append(bigEndian: UInt32(truncatingIfNeeded: item.count))
                bytes += item
            }
        }
        return bytes
    }

    init(entries: [[UInt8]], named: [[UInt8]: [UInt8]], digest: [UInt8]) {
        self.entries = entries
        self.named = named
        self.digest = digest
    }

    /// Nil if the bytes do not have exactly this form, or contain no entry.
    init?(_ bytes: [UInt8]) {
        let nameCount = AuditChain.origin.count
        var rest = bytes.dropFirst(nameCount)
        guard let entries = Self.list(&rest), let items = Self.list(&rest), !entries.isEmpty else {
            return nil
        }
        var named: [[UInt8]: [UInt8]] = [:]
        for item in items where item.count >= nameCount {
            named[Array(item.prefix(nameCount))] = Array(item.dropFirst(nameCount))
        }
        self.init(entries: entries, named: named, digest: Array(bytes.prefix(nameCount)))
        guard self.bytes == bytes else { return nil }
    }

    private static func list(_ rest: inout ArraySlice<UInt8>) -> [[UInt8]]? {
        guard let count = number(&rest) else { return nil }
        var items: [[UInt8]] = []
        while items.count < count {
            guard let size = number(&rest), rest.count >= size else { return nil }
            items.append(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        return items
    }

    private static func number(_ rest: inout ArraySlice<UInt8>) -> Int? {
        guard rest.count >= 4 else { return nil }
        let number = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        rest = rest.dropFirst(4)
        return number
    }
}

extension Access<LedgerError> {
    /// The bytes that entries name, as far as the tables have them after these entries.
    ///
    /// Bytes that a later one of the entries replaced are not needed.
    func namedBytes(of entries: [AuditEntry]) throws(LedgerError) -> [[UInt8]: [UInt8]] {
        var found: [[UInt8]: [UInt8]] = [:]
        for entry in entries {
            switch entry.change {
            case .result(let result):
                guard case .done(let done) = result.outcome else { break }
                for note in done.notes where note.digest != nil {
                    let detail = try first(
                        "SELECT detail FROM notes WHERE subject = ? AND name = ?",
                        .text(note.subject), .text(note.name)
                    ) { row throws(LedgerError) in try row.bytes(0) }
                    if let detail { found[Digest.sha256(detail.span)] = detail }
                }
                for id in done.broadcast?.items ?? [] {
                    let bytes = try first("SELECT bytes FROM outbox WHERE id = ?", .text(id)) {
                        row throws(LedgerError) in try row.bytes(0)
                    }
                    if let bytes { found[Digest.sha256(bytes.span)] = bytes }
                }
            case .ask(let ask):
                let text = try first(
                    "SELECT body FROM joint_questions WHERE digest = ?", .bytes(ask.question)
                ) { row throws(LedgerError) in try row.text(0) }
                if let text { found[ask.question] = Array(text.utf8) }
            case .attest(let attest):
                if let digest = attest.textDigest { found[digest] = try blob(digest) }
            case .carry(let carry):
                for text in carry.policies { found[text.digest] = try blob(text.digest) }
            default: break
            }
        }
        return found
    }
}
