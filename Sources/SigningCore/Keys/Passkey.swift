// SPDX-License-Identifier: Apache-2.0

/// The public half of a key that identifies an account to one host (WebAuthn).
public struct Passkey: Hashable, Sendable {
    /// The credential id for the host: SHA-256 of the public key, 32 bytes.
    public let credential: [UInt8]
    /// The public key: 64 bytes, x and y of a point of P-256.
    public let publicKey: [UInt8]
    /// The only host for which the passkey signs, without a port.
    public let host: String
    /// The protocol of its account.
    public let protocolID: ProtocolID
    /// The account that the passkey logs in, as the account's protocol writes it.
    public let address: String
    /// The owner's name for the passkey.
    public let name: String
    /// The time at which the passkey was made.
    public let created: Timestamp

    /// Makes the public description of a passkey.
    public init(
        credential: [UInt8], publicKey: [UInt8], host: String, protocolID: ProtocolID,
        address: String, name: String, created: Timestamp
    ) {
        self.credential = credential
        self.publicKey = publicKey
        self.host = host
        self.protocolID = protocolID
        self.address = address
        self.name = name
        self.created = created
    }
}
