// SPDX-License-Identifier: Apache-2.0

/// A typed, named value that an adapter read from the wire.
public struct Fact: Hashable, Sendable {
    /// The name a rule uses, such as `kind` or `receiver`.
    public let name: String
    /// The value, exactly as the request states it.
    public let value: FactValue
    /// True if the request is refused when the policy does not know a fact of this name.
    public let isCritical: Bool

    /// Makes a fact.
    public init(_ name: String, _ value: FactValue, isCritical: Bool = false) {
        self.name = name
        self.value = value
        self.isCritical = isCritical
    }
}

/// The value of a fact.
public enum FactValue: Hashable, Sendable {
    /// True or false.
    case bool(Bool)
    /// An exact integer: counts, kinds, and amounts in the schema's smallest unit.
    case integer(Int128)
    /// Text as it was on the wire.
    case text(String)
    /// Raw bytes.
    case bytes([UInt8])
    /// Seconds since 1970.
    case time(Timestamp)
    /// Several values of one type.
    case list([FactValue])
}

/// The type of a fact, which decides the notation of its values in policy files.
public enum FactType: Hashable, Sendable {
    /// `true` or `false`.
    case bool
    /// An integer.
    case integer
    /// A decimal with a unit, such as `"5 ALGO"`.
    case amount(AmountUnit)
    /// Text compared byte for byte.
    case text
    /// An account address; `"@own"` names all accounts held here.
    case account
    /// Bytes, written as hexadecimal text in policy files.
    case bytes
    /// An offset date-time.
    case time
    /// A number of seconds, written as `90` or `"5m"`.
    case duration
}

/// A unit of amounts.
public struct AmountUnit: Hashable, Sendable {
    /// The name after the number, such as `ALGO`.
    public let symbol: String
    /// The number of decimals: a unit is 10 to this power smallest units.
    public let decimals: Int
    /// The name of the smallest unit, such as `microAlgo`.
    public let smallest: String

    /// Makes a unit.
    public init(symbol: String, decimals: Int, smallest: String) {
        self.symbol = symbol
        self.decimals = decimals
        self.smallest = smallest
    }
}
