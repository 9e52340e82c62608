// SPDX-License-Identifier: Apache-2.0

/// What a request leaves behind when it is done, for later ones to be held against.
///
/// Notes only ever raise a flag or show a line; nothing is permitted because of one.
public struct Note: Hashable, Sendable {
    /// What a note is about.
    public enum Subject: Hashable, Sendable {
        /// A client, with what backs its identity: a claimed name is not a proved one.
        case client(String, Client.Proof)
        /// A key.
        case key(KeyID)
    }

    /// What it is about.
    public let subject: Subject
    /// What the number counts, such as `list/3`.
    public let name: String
    /// The number.
    public let value: Int64
    /// What the adapter keeps besides, in a form of its own; empty where it keeps nothing.
    public let detail: [UInt8]

    /// The longest detail, in bytes: a list of 5000 keys fits.
    public static let detailBytesMax = 192 << 10

    /// Makes a note; of a detail that is too long nothing is kept.
    public init(_ subject: Subject, _ name: String, _ value: Int64, detail: [UInt8] = []) {
        self.subject = subject
        self.name = name
        self.value = value
        self.detail = detail.count <= Self.detailBytesMax ? detail : []
    }

    /// The note that the hub itself makes about every client it did something for.
    public static let seen = "seen"

    /// The note that the hub itself makes about a client for which it used a key: the client knows
    /// that the key is held.
    public static func knows(_ key: KeyID) -> String { "knows/\(key.text)" }
}

extension Client {
    /// The client as a subject of notes.
    public var subject: Note.Subject { .client(id, proof) }
}
