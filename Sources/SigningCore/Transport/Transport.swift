// SPDX-License-Identifier: Apache-2.0

/// Moves frames between peers and a signer; decides nothing and holds no key of a user.
public protocol Transport: Sendable {
    /// The door its peers come through.
    var channel: ChannelName { get }
    /// How much it takes in at one time.
    var limits: TransportLimits { get }

    /// Serves peers until the task is cancelled: then it takes in nothing more, waits for what is
    /// in flight as long as its limits say, and closes.
    ///
    /// A peer that leaves cancels the task that its frame is answered in.
    func run(
        _ signer: some Signer, _ report: @escaping @Sendable (TransportState) -> Void
    ) async throws(TransportError)
}

/// How much a transport takes in at one time.
public struct TransportLimits: Hashable, Sendable {
    /// The most connections.
    public let connectionsMax: Int
    /// The most frames that wait for an answer, of callers that prove who they are; as many more
    /// may be of those that do not.
    public let framesMax: Int
    /// The most of them that came from one peer, whatever names it gives itself.
    public let framesPerPeerMax: Int
    /// How long what is in flight may take when the transport stops, in seconds.
    public let drainSecondsMax: Int64
    /// How many more frames of one peer wait for a place, half a minute at most; those that do not
    /// are refused.
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

    /// How callers share the frames.
    var frameShares: SharedPlaces.Shares {
        SharedPlaces.Shares(
            all: framesMax, ofClient: framesPerPeerMax,
            ofSite: min(framesPerPeerMax, max(1, framesMax / 8)),
            ofKind: framesMax - framesMax / 4, reserve: framesMax / 16)
    }

    /// How they share the lines in front of them.
    var frameLines: PlaceQueue.Lines? {
        let own = framesWaitingPerPeerMax
        guard own > 0 else { return nil }
        return PlaceQueue.Lines(
            SharedPlaces.Shares(
                all: 4 * own, ofClient: own, ofSite: own, ofKind: 3 * own, reserve: own / 4))
    }
}

/// What a transport says of itself.
public enum TransportState: Hashable, Sendable {
    /// It serves peers; where, in words for its owner.
    case open(String)
    /// It takes in nothing more and waits for what is in flight.
    case draining
    /// It has ended.
    case closed
}

/// Why a transport cannot serve, or not any more.
public struct TransportError: Error, Hashable, Sendable {
    /// What is wrong.
    public let message: String
    /// What to do about it.
    public let hint: String

    /// Makes an error.
    public init(_ message: String, hint: String) {
        self.message = message
        self.hint = hint
    }
}
