// SPDX-License-Identifier: Apache-2.0

/// A candidate address of one side of a connection, an `RTCIceCandidate`.
public struct ICECandidate: Sendable, Equatable {
    /// The attribute in SDP, without `a=`; empty at the end of the candidates.
    public let candidate: String
    /// The name of its media section.
    public let sdpMid: String?
    /// The index of its media section, counted from 0.
    public let sdpMLineIndex: Int?

    /// Creates a candidate.
    public init(candidate: String, sdpMid: String?, sdpMLineIndex: Int?) {
        self.candidate = candidate
        self.sdpMid = sdpMid
        self.sdpMLineIndex = sdpMLineIndex
    }
}

/// A message between the two sides before a data channel is open; the wallet makes the offer.
public enum Signal: Sendable, Equatable {
    /// The description of the wallet, as SDP.
    case offer(String)
    /// The description of the app, as SDP.
    case answer(String)
    case offerCandidate(ICECandidate)
    case answerCandidate(ICECandidate)
}

extension Signal {
    /// The maximum length of a description, in bytes of UTF-8.
    public static let descriptionBytesMax = 64 << 10
    /// The maximum length of a candidate, in bytes of UTF-8.
    public static let candidateBytesMax = 2_048
    /// The maximum number of candidates for one connection.
    public static let candidatesMax = 256

    /// True if it is a signal of the wallet.
    ///
    /// A server may echo such signals; the echo is dropped.
    var isOffering: Bool {
        switch self {
        case .offer, .offerCandidate: true
        case .answer, .answerCandidate: false
        }
    }

    /// True if it exceeds its limit.
    var isTooLong: Bool {
        switch self {
        case .offer(let text), .answer(let text): text.utf8.count > Self.descriptionBytesMax
        case .offerCandidate(let candidate), .answerCandidate(let candidate):
            candidate.candidate.utf8.count > Self.candidateBytesMax
        }
    }
}

/// The reasons that signals cannot be exchanged.
public enum SignallingError: Error, Hashable, Sendable {
    /// The connection is closed permanently.
    case closed
    /// The server refuses the connection; its message has visible control characters.
    case refused(String)
    /// The signal exceeds its limit.
    case tooLong
    /// The queue of signals to send is full.
    case busy
    /// The WebSocket library is not installed.
    case missingLibrary
    /// The caller was cancelled.
    case cancelled
}

/// A connection that exchanges signals with the other side, in order.
public protocol Signalling: Sendable {
    /// Sends a signal; without a connection, it is sent over the next one.
    func send(_ signal: Signal) async throws(SignallingError)
    /// Returns the next signal of the other side; nil after the end.
    func next() async throws(SignallingError) -> Signal?
    /// Closes the connection and ends all waits for a signal.
    func close() async
}
