// SPDX-License-Identifier: Apache-2.0

public import SigningCore

/// The label of a key on a token, `PROTOCOL/NAME`, such as `near/porter`.
public struct TokenKeyName: Hashable, Sendable, CustomStringConvertible {
    /// The one protocol that the key signs for.
    public let protocolID: ProtocolID
    /// The name that rules use.
    public let name: String

    /// The longest name, in bytes.
    static let bytesMax = 64

    /// Reads a label; nil if it has another form, as the labels of other programs may have.
    public init?(_ label: String) {
        let parts = label.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let kind = parts.first, let name = parts.last,
            !kind.isEmpty, !name.isEmpty, name.utf8.count <= Self.bytesMax,
            kind.utf8.allSatisfy({ (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }),
            name.utf8.allSatisfy(Self.isAllowed)
        else { return nil }
        protocolID = ProtocolID(String(kind))
        self.name = String(name)
    }

    /// The name of the key of an account.
    init?(of account: Account) { self.init("\(account.protocolID.name)/\(account.name)") }

    /// The label.
    public var description: String { "\(protocolID.name)/\(name)" }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
