// SPDX-License-Identifier: Apache-2.0

/// Answers frames: steps 2 to 9, and the networks behind them.
///
/// What a transport talks to, whether the home is open in this process or behind a socket. A peer
/// that leaves cancels the task it asks in: its question is withdrawn unless others wait for the
/// same.
public protocol Signer: Sendable {
    /// Answers one frame over a wire that the transport names, or over the one it says itself.
    ///
    /// A message, a deposit or silence goes back, never a broadcast.
    func answer(_ frame: Frame, over wire: AdapterID?) async -> Answer
}
