// SPDX-License-Identifier: Apache-2.0

package import SigningCore

/// Decides about the clients over relays: who connects, what is asked for them, and when a
/// connection ends.
///
/// A transport opens envelopes, asks its signer for the bunker, and sends the replies.
package protocol Bunker: Sendable {
    /// Asks the signer about a frame.
    typealias Ask = @Sendable (Frame) async throws(Connections.Refusal) -> Answer

    /// Reads the stored connections again and returns those to serve; may wait for a disk.
    func refresh() throws(TransportError) -> [ServedConnection]

    /// The proxy for relays as last read by `refresh`; nil if there is none.
    var proxy: RelayProxy? { get }

    /// The number of the latest change of the home, which may have changed the connections.
    var revision: Int { get }

    /// Returns once the latest change is not `revision`, or at the time `until`.
    func wait(after revision: Int, until: ContinuousClock.Instant?) async

    /// Returns the connection with this key of the signer; nil if it is not served.
    func connection(of signer: String) -> ServedConnection?

    /// The number of connections that get no answer until the vault is unlocked.
    var unansweredCount: Int { get }

    /// Returns true if an event that the client of the connection did not sign may be opened.
    func admitsUnknownClient(of connection: ServedConnection, from relay: RelayAddress) -> Bool

    /// Decides who may be answered; does not wait.
    ///
    /// Of many clients that show a secret at once, it accepts one.
    func admit(_ envelope: OpenedEnvelope, from relay: RelayAddress) -> BunkerAdmission

    /// Answers a call of a connected client; nil for no reply.
    func serve(_ envelope: OpenedEnvelope, by ask: Ask) async -> BunkerReply?

    /// Connects the client that showed the secret; nil for no reply.
    func connect(_ envelope: OpenedEnvelope, by ask: Ask) async -> BunkerReply?

    /// Answers the URI of a client; nil for no reply.
    func invite(_ connection: ServedConnection, by ask: Ask) async -> BunkerReply?

    /// Ends a connection after its last reply was sent.
    func end(_ connection: ServedConnection)
}
