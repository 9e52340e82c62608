// SPDX-License-Identifier: Apache-2.0

/// Answers frames: steps 2 to 9, and the access to networks.
///
/// Transports use it for a home in this process and for one behind a socket. A peer that leaves
/// cancels its calling task. Its question is withdrawn unless other clients wait for the same
/// answer.
public protocol Signer: Sendable {
    /// Answers one frame over the wire that the transport names, or that the frame's marks name.
    ///
    /// The reply is a message, a deposit or silence, never a broadcast.
    func answer(_ frame: Frame, over wire: AdapterID?) async -> Answer
}
