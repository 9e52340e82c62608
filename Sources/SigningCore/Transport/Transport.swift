// SPDX-License-Identifier: Apache-2.0

/// Moves frames between peers and a signer; decides nothing and holds no key of a user.
public protocol Transport: Sendable {
    /// The channel of its peers.
    var channel: ChannelName { get }
    /// The limits of what it accepts at one time.
    var limits: TransportLimits { get }

    /// Serves peers until the task is cancelled.
    ///
    /// Then it accepts nothing more, waits for frames in flight as long as its limits permit, and
    /// closes. A peer that leaves cancels the task that answers its frame.
    func run(
        _ signer: some Signer, _ report: @escaping @Sendable (TransportState) -> Void
    ) async throws(TransportError)
}

/// The limits of what a transport accepts at one time.
public struct TransportLimits: Hashable, Sendable {
    /// The most connections.
    public let connectionsMax: Int
    /// The most frames of proved clients that wait for an answer; unproved clients have as many
    /// more.
    public let framesMax: Int
    /// The most frames of one peer, independent of the names that it claims.
    public let framesPerPeerMax: Int
    /// The time for frames in flight when the transport stops, in seconds.
    public let drainSecondsMax: Int64
    /// The most further frames of one peer that wait for a place, for at most half a minute.
    ///
    /// Other frames are refused.
    public let framesWaitingPerPeerMax: Int

    /// Sets the limits.
    public init(
        connectionsMax: Int = 256, framesMax: Int = 256, framesPerPeerMax: Int = 16,
        drainSecondsMax: Int64 = 5, framesWaitingPerPeerMax: Int = 0
    ) {
        self.framesWaitingPerPeerMax = framesWaitingPerPeerMax
        self.connectionsMax = connectionsMax
        self.framesMax = framesMax
        self.framesPerPeerMax = framesPerPeerMax
        self.drainSecondsMax = drainSecondsMax
    }

    /// The shares of clients in the frames.
    var frameShares: SharedPlaces.Shares {
        SharedPlaces.Shares(
            all: framesMax, ofClient: framesPerPeerMax,
            ofSite: min(framesPerPeerMax, max(1, framesMax / 8)),
            ofKind: framesMax - framesMax / 4, reserve: framesMax / 16)
    }

    /// The shares of clients in the waiting lines.
    var frameLines: PlaceQueue.Lines? {
        let own = framesWaitingPerPeerMax
        guard own > 0 else { return nil }
        return PlaceQueue.Lines(
            SharedPlaces.Shares(
                all: 4 * own, ofClient: own, ofSite: own, ofKind: 3 * own, reserve: own / 4))
    }
}

/// The state of a transport.
public enum TransportState: Hashable, Sendable {
    /// It serves peers; the text names its address for the owner.
    case open(String)
    /// It accepts nothing more and waits for frames in flight.
    case draining
    /// It has ended.
    case closed
}

/// The reason that a transport cannot serve, or stopped serving.
public struct TransportError: Error, Hashable, Sendable {
    /// The problem.
    public let message: String
    /// The remedy.
    public let hint: String

    /// Makes an error.
    public init(_ message: String, hint: String) {
        self.message = message
        self.hint = hint
    }
}
