// SPDX-License-Identifier: Apache-2.0

package import SigningCore

/// The decision about a call before it is answered.
package enum BunkerAdmission: Hashable, Sendable {
    /// A connected client made it: `serve` answers it.
    case served
    /// A client showed the secret of the connection: `connect` answers it.
    case connecting
    /// The sender gets this refusal.
    case refused([UInt8])
    /// The sender gets no reply.
    case ignored
}

/// The reply to a client.
package struct BunkerReply: Sendable {
    /// The messages to encrypt, in the order of sending.
    package let messages: [[UInt8]]
    /// The connection as it is after the call.
    package let connection: ServedConnection
    /// True if the connection ends once the reply was sent.
    package let isLast: Bool

    /// Makes a reply over a connection.
    package init(
        _ messages: [[UInt8]], over connection: ServedConnection, isLast: Bool = false
    ) {
        self.messages = messages
        self.connection = connection
        self.isLast = isLast
    }
}

/// A decrypted call with its envelope.
package struct OpenedEnvelope: Sendable {
    package let connection: ServedConnection
    /// The public key that signed the envelope, in lower-case hex.
    package let author: String
    package let eventID: [UInt8]
    package let call: NIP46Call
    /// The call as the client wrote it.
    package let bytes: [UInt8]
    /// The encryption scheme of the client, which its answer uses too.
    package let scheme: CipherScheme

    /// Creates an envelope whose signature was verified.
    package init(
        over connection: ServedConnection, by author: String, _ eventID: [UInt8], _ call: NIP46Call,
        _ bytes: [UInt8], _ scheme: CipherScheme
    ) {
        self.connection = connection
        self.author = author
        self.eventID = eventID
        self.call = call
        self.bytes = bytes
        self.scheme = scheme
    }

    /// True if the client of the connection signed it.
    package var isByClient: Bool { author == connection.client }
}
