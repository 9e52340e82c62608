// SPDX-License-Identifier: Apache-2.0

/// Another party that a request names in one field, such as the receiver of a payment, as one key
/// meets it on one network.
public struct Counterparty: Hashable, Sendable {
    /// The longest value that is remembered, in bytes; a longer one stays new.
    public static let valueBytesMax = 256
    /// The most new counterparties of one request that are remembered; further ones stay new.
    public static let newMax = 64

    /// The key that signs.
    public let key: KeyID
    /// The field that names it.
    public let field: String
    /// The value of the field.
    public let value: String
    /// The name of the note about the first use.
    let noteName: String

    /// Makes a counterparty; nil if it cannot be remembered, so that it stays new.
    ///
    /// `network` is empty for a protocol without networks.
    public init?(_ key: KeyID, on network: String, in field: String, _ value: String) {
        guard !value.isEmpty, value.utf8.count <= Self.valueBytesMax,
            network.utf8.count <= Self.valueBytesMax, !network.contains("/")
        else { return nil }
        self.key = key
        self.field = field
        self.value = value
        noteName = "first_use/\(field)/\(network)/\(value)"
    }

    /// The note that a request which names the counterparty was signed at this time.
    func note(at time: Timestamp) -> Note { Note(.key(key), noteName, time.seconds) }
}

/// The time at which a key first signed a request that names a counterparty.
public enum FirstUse: Hashable, Sendable {
    /// The record has no such request since it keeps these times.
    case never
    case at(Timestamp)
    /// The source does not tell.
    case unknown
}

extension LedgerHistory {
    /// Returns the time at which a request with this counterparty was first signed.
    public func firstUse(of counterparty: Counterparty) throws(LedgerError) -> FirstUse {
        try noted(counterparty.noteName, about: .key(counterparty.key))
            .map { .at(Timestamp(seconds: $0.value)) } ?? .never
    }
}
