// SPDX-License-Identifier: Apache-2.0

package import SigningCore

/// The part of a connection that a transport needs to open and send its envelopes.
package struct ServedConnection: Sendable {
    /// The signer's key for this connection only, in lower-case hex.
    package let signer: String
    /// The client's key, in lower-case hex; nil while the connection is only offered.
    package let client: String?
    /// True if the client has shown a URI that was not answered yet.
    package let isInvited: Bool
    /// The relays where client and signer meet.
    package let meetings: MeetingRelays
    /// The key of the signer for this connection.
    package let key: any EnvelopeKey

    /// Creates the view of a connection.
    package init(
        signer: String, client: String?, isInvited: Bool, meetings: MeetingRelays,
        key: any EnvelopeKey
    ) {
        self.signer = signer
        self.client = client
        self.isInvited = isInvited
        self.meetings = meetings
        self.key = key
    }
}

/// A key that signs, encrypts and decrypts the envelopes of one connection and nothing else.
package protocol EnvelopeKey: Sendable {
    /// The public key.
    var publicKey: [UInt8] { get }
    /// Signs, encrypts or decrypts an envelope.
    func perform(_ operation: KeyOperation) throws(KeyStoreError) -> KeyResult
}

/// The relays of a connection; for some time after a move these include the earlier ones.
package struct MeetingRelays: Hashable, Sendable {
    /// The relays of the connection now.
    package let current: [RelayAddress]
    private let earlier: [RelayAddress]
    /// The time when the earlier relays no longer count.
    private let end: Timestamp?

    /// Creates the relays of a connection that moved to `current`, or never moved.
    package init(
        _ current: [RelayAddress], earlier: [RelayAddress] = [], until end: Timestamp? = nil
    ) {
        self.current = current
        self.earlier = earlier
        self.end = end
    }

    /// Returns the relays to listen on at a time.
    package func at(_ now: Timestamp) -> [RelayAddress] {
        guard let end, now < end else { return current }
        return current + earlier.filter { !current.contains($0) }
    }
}

extension ChannelName {
    /// The channel of clients on relays.
    package static let relay: ChannelName = "relay"
}
