// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import SigningCrypto
internal import SigningFiles

/// Bytes that an entry names by their SHA-256 and does not contain, with its intent.
///
/// A replay lacks the bytes: its temporary tables hold the SHA-256 in their place, as a value of
/// another type, until the ledger's bytes take it.
struct NamedBytes {
    private var values: [[UInt8]: [UInt8]] = [:]
    /// The texts of questions, by the SHA-256 of the questions.
    private var texts: [[UInt8]: [UInt8]] = [:]
    /// True if bytes that are missing were replaced by a later entry of the same batch.
    private var isOfBatch = false
    /// The entry of the result's intent; nil if the ledger contains it.
    var intent: IntentEntry?

    static let none = NamedBytes()

    private init() {}

    init(of settlement: Settlement) {
        guard case .done(_, _, let notes, _, let broadcast, _) = settlement else { return }
        for note in notes where !note.detail.isEmpty { add(note.detail) }
        for item in broadcast?.items ?? [] { add(item.bytes) }
    }

    /// The text of a question, which is named by the SHA-256 of the question.
    init(question digest: [UInt8], _ text: String) { texts[digest] = Array(text.utf8) }

    /// The bytes that the entries of a batch name, by the names that the batch states.
    ///
    /// A name that is not their SHA-256 can only be that of a question, whose text is checked
    /// whenever it is read.
    init(named: [[UInt8]: [UInt8]]) {
        isOfBatch = true
        for (digest, bytes) in named {
            if Digest.sha256(bytes.span) == digest {
                values[digest] = bytes
            } else {
                texts[digest] = bytes
            }
        }
    }

    /// The bytes with this SHA-256; nil if they are missing.
    func value(_ digest: [UInt8]) -> [UInt8]? { values[digest] }

    private mutating func add(_ bytes: [UInt8]) { values[Digest.sha256(bytes.span)] = bytes }

    /// The bytes as a value of a table; no bytes if the entry names none.
    func bytes(_ digest: [UInt8]?) -> SQLiteValue {
        guard let digest else { return .bytes([]) }
        let missing = isOfBatch ? SQLiteValue.bytes([]) : .text(digest.hexText)
        return values[digest].map { .bytes($0) } ?? missing
    }

    /// The text as a value of a table.
    func text(_ digest: [UInt8]) -> SQLiteValue {
        let missing = isOfBatch ? SQLiteValue.text("") : .bytes(digest)
        return texts[digest].map { .text(String(decoding: $0, as: UTF8.self)) } ?? missing
    }
}
