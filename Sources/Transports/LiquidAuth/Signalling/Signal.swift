// SPDX-License-Identifier: Apache-2.0

/// A way to reach the other side of a connection that is being made, an `RTCIceCandidate`.
public struct ICECandidate: Sendable, Equatable {
    /// The attribute as SDP writes it, without `a=`; empty where there are no more.
    public let candidate: String
    /// The media section that it belongs to, by its name.
    public let sdpMid: String?
    /// The same by its place, counted from 0.
    public let sdpMLineIndex: Int?

    /// A candidate of an own connection, or one that was read.
    public init(candidate: String, sdpMid: String?, sdpMLineIndex: Int?) {
        self.candidate = candidate
        self.sdpMid = sdpMid
        self.sdpMLineIndex = sdpMLineIndex
    }
}

/// What the two sides of a data channel tell each other before it is open; the wallet offers.
public enum Signal: Sendable, Equatable {
    /// The wallet's description, as SDP.
    case offer(String)
    /// The app's description, as SDP.
    case answer(String)
    case offerCandidate(ICECandidate)
    case answerCandidate(ICECandidate)
}

extension Signal {
    /// The longest description, in bytes of UTF-8.
    public static let descriptionBytesMax = 64 << 10
    /// The longest candidate, in bytes of UTF-8.
    public static let candidateBytesMax = 2_048
    /// The most candidates that are taken in for one connection.
    public static let candidatesMax = 256
}

/// Why nothing can be signalled.
public enum SignallingError: Error, Hashable, Sendable {
    /// It is not connected, and will not be again.
    case closed
    /// The server does not take the connection; what it says, with control characters made visible.
    case refused(String)
    /// The signal is longer than its limit.
    case tooLong
    /// More waits to be sent than may wait.
    case busy
    /// The library for WebSockets is not installed.
    case missingLibrary
    /// The caller was cancelled.
    case cancelled
}

/// What carries signals to the other side and back, in order.
public protocol Signalling: Sendable {
    /// Sends a signal; where there is no connection for a moment, it waits for the next one.
    func send(_ signal: Signal) async throws(SignallingError)
    /// The next signal of the other side; nil where it is closed for good.
    func next() async throws(SignallingError) -> Signal?
    /// Ends it; whoever waits for a signal is told.
    func close() async
}
