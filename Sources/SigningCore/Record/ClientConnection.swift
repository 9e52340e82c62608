// SPDX-License-Identifier: Apache-2.0

/// A client's connection to an account, until one side ends it.
///
/// A connection lets the client receive the same information again; it permits no use of a key.
public struct ClientConnection: Hashable, Sendable {
    /// The id: 16 random bytes.
    public let id: [UInt8]
    /// The protocol.
    public let protocolID: ProtocolID
    /// The connected client.
    public let client: Client
    /// The network, as the protocol's facts name it.
    public let network: String
    /// The key of the account.
    public let key: KeyID
    /// The account as its protocol writes it.
    public let address: String
    /// The time at which the connection began.
    public let started: Timestamp
    /// The first moment at which the connection has ended; nil for a login.
    ///
    /// Adapters receive only logins.
    public let expires: Timestamp?

    /// Makes a connection; called by adapters and ledgers.
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

/// A change of connections that a request makes once it is done.
public enum ConnectionChange: Hashable, Sendable {
    /// A connection begins; one of the same client with the same key and network is replaced.
    case opens(ClientConnection)
    /// A connection ends.
    case ends(id: [UInt8])
    /// The grants of a client of a protocol are revoked.
    case forgets(Client, ProtocolID)
}

/// Numbers that may be used once each in their series, such as the nonces of a NEAR access key.
public struct SerialUse: Hashable, Sendable {
    /// The name of the series, such as network, account and key.
    public let series: String
    /// The number.
    public let number: UInt64

    /// Makes a use.
    public init(series: String, number: UInt64) {
        self.series = series
        self.number = number
    }
}
