// SPDX-License-Identifier: Apache-2.0

/// That a client is connected to an account, until one of them ends it.
///
/// A connection tells a client again what it was told before; it permits no use of a key.
public struct ClientConnection: Hashable, Sendable {
    /// 16 random bytes.
    public let id: [UInt8]
    /// The protocol.
    public let protocolID: ProtocolID
    /// Who is connected.
    public let client: Client
    /// The network, as the protocol's facts name it.
    public let network: String
    /// The key of the account.
    public let key: KeyID
    /// The account as its protocol writes it.
    public let address: String
    /// Since when.
    public let started: Timestamp
    /// The first moment it is over by itself; nil for what the login of a wire opened, which is all
    /// that adapters see.
    public let expires: Timestamp?

    /// Makes a connection; adapters do, and ledgers keep it.
    public init(
        id: [UInt8], protocolID: ProtocolID, client: Client, network: String, key: KeyID,
        address: String, started: Timestamp, expires: Timestamp? = nil
    ) {
        self.id = id
        self.protocolID = protocolID
        self.client = client
        self.network = network
        self.key = key
        self.address = address
        self.started = started
        self.expires = expires
    }
}

/// What a request changes about connections once it is done.
public enum ConnectionChange: Hashable, Sendable {
    /// A connection begins; one of the same client with the same key and network is replaced.
    case opens(ClientConnection)
    /// A connection ends.
    case ends(id: [UInt8])
    /// What people allowed a client of a protocol is taken back.
    case forgets(Client, ProtocolID)
}

/// Numbers that may be used once each in their series, such as the nonces of a NEAR access key.
public struct SerialUse: Hashable, Sendable {
    /// What the number counts in, such as network, account and key.
    public let series: String
    /// The number.
    public let number: UInt64

    /// Makes a use.
    public init(series: String, number: UInt64) {
        self.series = series
        self.number = number
    }
}
