// SPDX-License-Identifier: Apache-2.0

/// Answers frames: takes steps 2 to 9, and sends and looks up data on networks.
///
/// The home may be in this process or behind a socket. The caller cancels its task if the peer
/// leaves. A person is then no longer asked, unless other clients wait for the answer to the same
/// request.
public protocol Signer: Sendable {
    /// Answers a frame; if the transport names no wire, the wire is found by the frame's marks.
    ///
    /// The reply is a message, a deposit or silence, never a broadcast.
    func answer(_ frame: Frame, over wire: AdapterID?) async -> Answer
}

/// A signer in the process of its client, which finds its connections of earlier runs there.
public protocol KnowsConnections: Signer {
    /// Returns the account that a client is connected to on a network; nil if there is none.
    func account(
        connectedTo peer: Peer, in protocolID: ProtocolID, on network: String
    ) -> Account?
}
