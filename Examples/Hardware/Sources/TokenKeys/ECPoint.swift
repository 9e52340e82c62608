// SPDX-License-Identifier: Apache-2.0

/// The attribute `CKA_EC_POINT` of an Ed25519 public key.
///
/// Version 2.40 of PKCS #11 wraps the point in a DER octet string, and version 3.0 does not. Tokens
/// of both kinds are in use.
enum ECPoint {
    /// The beginning of a DER octet string of 32 bytes.
    private static let head: [UInt8] = [0x04, 0x20]

    /// Returns the 32 bytes of the key; nil if the attribute has another form.
    static func publicKey(in attribute: [UInt8]) -> [UInt8]? {
        switch attribute.count {
        case 32: attribute
        case 34 where attribute.starts(with: head): Array(attribute.dropFirst(2))
        default: nil
        }
    }

    /// Returns the attribute of a public key, as a DER octet string.
    static func attribute(of publicKey: [UInt8]) -> [UInt8] { head + publicKey }
}
