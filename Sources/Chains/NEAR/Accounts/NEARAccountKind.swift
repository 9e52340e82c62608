// SPDX-License-Identifier: Apache-2.0

/// The kind of a NEAR account id, which limits the keys that the account can have.
package enum NEARAccountKind: Hashable {
    /// Any other id: only the chain knows its keys.
    case named
    /// 64 hexadecimal digits: at first its only key is the Ed25519 key with these digits.
    case implicit
    /// Begins with `0x`: it has a wallet contract and no keys.
    case ethImplicit
    /// Begin with `0s` and `0u`: at first they are contracts without keys.
    case deterministic, universal

    package init(_ id: String) {
        let tail = id.utf8.dropFirst(2)
        switch (id.prefix(2), id.utf8.count) {
        case (_, 64) where id.utf8.allSatisfy(Self.isHexDigit): self = .implicit
        case ("0x", 42) where tail.allSatisfy(Self.isHexDigit): self = .ethImplicit
        case ("0s", 42) where tail.allSatisfy(Self.isHexDigit): self = .deterministic
        case ("0u", 54) where tail.allSatisfy(Self.isBase32Digit) && Self.hasWholeBytes(id):
            self = .universal
        default: self = .named
        }
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }

    private static func isBase32Digit(_ byte: UInt8) -> Bool {
        "0123456789abcdefghjkmnpqrstvwxyz".utf8.contains(byte)
    }

    /// 52 digits hold four bits more than 32 bytes; the extra bits must be zero.
    private static func hasWholeBytes(_ id: String) -> Bool {
        id.hasSuffix("0") || id.hasSuffix("g")
    }
}
