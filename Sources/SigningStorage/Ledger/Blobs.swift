// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningCrypto
internal import SigningFiles

/// Bytes that entries name by their SHA-256.
extension Access<LedgerError> {
    /// Stores bytes for an entry that names them; returns their SHA-256.
    func keep(blob bytes: [UInt8]) throws(LedgerError) -> [UInt8] {
        let digest = Digest.sha256(bytes.span)
        try run(
            "INSERT OR IGNORE INTO blobs (sha256, bytes) VALUES (?, ?)", .bytes(digest),
            .bytes(bytes))
        return digest
    }

    /// The bytes with this SHA-256; nil if they are missing or were changed.
    func blob(_ digest: [UInt8]) throws(LedgerError) -> [UInt8]? {
        let bytes = try first("SELECT bytes FROM blobs WHERE sha256 = ?", .bytes(digest)) {
            row throws(LedgerError) in try row.bytes(0)
        }
        return bytes.flatMap { Digest.sha256($0.span) == digest ? $0 : nil }
    }

    /// The first bytes that differ from what entries name; nil if there are none.
    ///
    /// The table `policies` must be as the entries say.
    func blobDifference() throws(LedgerError) -> RowDifference? {
        for text in try policyTexts() where try blob(text.digest) == nil {
            let isThere = try exists(
                "SELECT 1 FROM blobs WHERE sha256 = ?", .bytes(text.digest))
            return RowDifference(
                kind: isThere ? .changed : .missing, table: "blobs", row: "the text of the policy",
                sequence: text.sequence)
        }
        let carried = try carriedDigests()
        for digest in carried where try blob(digest) == nil {
            return RowDifference(
                kind: .missing, table: "blobs", row: "the content of an older version",
                sequence: try newestEntry(of: .carry)?.sequence)
        }
        let named = Set(try policyTexts().map(\.digest) + carried)
        let isOther = try blobDigests().contains { !named.contains($0) }
        return isOther
            ? RowDifference(kind: .added, table: "blobs", row: "a text", sequence: nil) : nil
    }

    private func blobDigests() throws(LedgerError) -> [[UInt8]] {
        try all("SELECT sha256 FROM blobs") { row throws(LedgerError) in try row.bytes(0) }
    }

    /// Deletes bytes that differ from what entries name; returns the SHA-256 of lost ones.
    ///
    /// `source` is the text of the policy in the vault, which is stored again if it is lost.
    func mendBlobs(with source: [UInt8]?) throws(LedgerError) -> [[UInt8]] {
        var lost: [[UInt8]] = []
        let named = Set(try policyTexts().map(\.digest) + carriedDigests())
        for digest in named where try blob(digest) == nil {
            try run("DELETE FROM blobs WHERE sha256 = ?", .bytes(digest))
            if let source, Digest.sha256(source.span) == digest {
                _ = try keep(blob: source)
            } else {
                lost.append(digest)
            }
        }
        for digest in try blobDigests() where !named.contains(digest) {
            try run("DELETE FROM blobs WHERE sha256 = ?", .bytes(digest))
        }
        return lost.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// The texts of policies that entries name, by the entries that put them in force.
    func policyTexts() throws(LedgerError) -> [CarryEntry.PolicyText] {
        try all("SELECT sequence, sha256 FROM policies ORDER BY sequence") {
            row throws(LedgerError) in
            CarryEntry.PolicyText(sequence: try row.integer(0), digest: try row.bytes(1))
        }
    }
}
