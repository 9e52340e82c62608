// SPDX-License-Identifier: Apache-2.0

/// The family of keys and messages a request belongs to, such as `nostr`, `near` or `algorand`.
public struct ProtocolID: Hashable, Sendable, CustomStringConvertible {
    /// The lower-case name in a policy file.
    public let name: String

    /// Makes an identifier from its lower-case name.
    public init(_ name: String) { self.name = name }

    /// The name itself.
    public var description: String { name }
}

/// The name of one wire format, such as `nip155`.
public struct AdapterID: Hashable, Sendable, CustomStringConvertible {
    /// The lower-case name on the command line.
    public let name: String

    /// Makes an identifier from its lower-case name.
    public init(_ name: String) { self.name = name }

    /// The name itself.
    public var description: String { name }
}

/// The id of a stored key; it stays the same if the key is renamed.
public struct KeyID: Hashable, Sendable, CustomStringConvertible {
    /// Thirty-two lower-case hexadecimal digits.
    public let text: String

    /// Makes an identifier from its stored text.
    public init(_ text: String) { self.text = text }

    /// The text itself.
    public var description: String { text }
}

/// Whole seconds since 1970-01-01T00:00:00Z.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Seconds; negative before 1970.
    public let seconds: Int64

    /// Makes a point in time from seconds since 1970.
    public init(seconds: Int64) { self.seconds = seconds }

    /// Returns the time this number of seconds later, clamped to the range of `Int64`.
    public func adding(seconds more: Int64) -> Timestamp {
        let (sum, hasOverflown) = seconds.addingReportingOverflow(more)
        return Timestamp(seconds: hasOverflown ? (more < 0 ? .min : .max) : sum)
    }

    /// True if the left one is earlier.
    public static func < (left: Self, right: Self) -> Bool { left.seconds < right.seconds }
}
