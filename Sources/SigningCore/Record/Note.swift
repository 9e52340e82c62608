// SPDX-License-Identifier: Apache-2.0

/// A number that a request leaves behind when it is done, for later ones to be held against.
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

    /// Makes a note.
    public init(_ subject: Subject, _ name: String, _ value: Int64) {
        self.subject = subject
        self.name = name
        self.value = value
    }

    /// The note that the hub itself makes about every client it did something for.
    public static let seen = "seen"
}

extension Client {
    /// The client as a subject of notes.
    public var subject: Note.Subject { .client(id, proof) }
}
