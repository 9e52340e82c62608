// SPDX-License-Identifier: Apache-2.0

/// A value that a completed request leaves for later requests to compare with.
///
/// Notes of adapters only add a danger or a line to show. Notes of the hub say whom a key knows,
/// for rules that treat others more strictly.
public struct Note: Hashable, Sendable {
    /// The subject of a note.
    public enum Subject: Hashable, Sendable {
        /// A client with the proof of its identity: a claimed name is not a proved one.
        case client(String, Client.Proof)
        /// A key.
        case key(KeyID)
    }

    /// The subject.
    public let subject: Subject
    /// The name of the count, such as `list/3`.
    public let name: String
    /// The number.
    public let value: Int64
    /// Further data in the adapter's form; empty if absent.
    public let detail: [UInt8]

    /// The longest detail, in bytes: a list of 5000 keys fits.
    public static let detailBytesMax = 192 << 10

    /// Makes a note; a detail that is too long is dropped.
    public init(_ subject: Subject, _ name: String, _ value: Int64, detail: [UInt8] = []) {
        self.subject = subject
        self.name = name
        self.value = value
        self.detail = detail.count <= Self.detailBytesMax ? detail : []
    }

    /// The name of the hub's note about every client for which a request was carried out.
    public static let seen = "seen"

    /// Returns the name of the hub's note about a client for which it used a key.
    ///
    /// The client then knows that the key is held.
    public static func knows(_ key: KeyID) -> String { "knows/\(key.text)" }
}

extension Client {
    /// The client as a subject of notes.
    public var subject: Note.Subject { .client(id, proof) }
}
