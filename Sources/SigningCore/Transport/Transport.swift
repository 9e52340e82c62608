// SPDX-License-Identifier: Apache-2.0

/// Passes frames from peers to a signer, and answers back; it has no key and decides nothing.
public protocol Transport: Sendable {
    /// The channel of its peers.
    var channel: ChannelName { get }
    /// The limits of connections and frames at one time.
    var limits: TransportLimits { get }

    /// Serves peers until the task is cancelled.
    ///
    /// After that, accepts nothing more, waits for frames that are being answered, up to a limit,
    /// and closes. If a peer leaves, the task that answers its frame is cancelled.
    func run(
        _ signer: some Signer, _ report: @escaping @Sendable (TransportState) -> Void
    ) async throws(TransportError)
}

/// The limits of a transport's connections and frames at one time.
public struct TransportLimits: Hashable, Sendable {
    /// The most connections.
    public let connectionsMax: Int
    /// The most frames of all proved clients that are being answered; the same number is allowed
    /// for all other clients.
    public let framesMax: Int
    /// The most frames of one peer that are being answered, under all names that it claims.
    public let framesPerPeerMax: Int
    /// The time in seconds for frames that are being answered when the transport stops.
    public let drainSecondsMax: Int64
    /// The most further frames of one peer that wait to be answered.
    ///
    /// Frames beyond this are refused.
    public let framesWaitingPerPeerMax: Int
    /// The time in seconds after which a frame that still waits is refused.
    public let waitSecondsMax: Int64

    /// Sets the limits.
    public init(
        connectionsMax: Int = 256, framesMax: Int = 256, framesPerPeerMax: Int = 16,
        drainSecondsMax: Int64 = 5, framesWaitingPerPeerMax: Int = 0, waitSecondsMax: Int64 = 30
    ) {
        self.waitSecondsMax = waitSecondsMax
        self.framesWaitingPerPeerMax = framesWaitingPerPeerMax
        self.connectionsMax = connectionsMax
        self.framesMax = framesMax
        self.framesPerPeerMax = framesPerPeerMax
        self.drainSecondsMax = drainSecondsMax
    }

    /// The distribution of the frames that are being answered among clients.
    var frameShares: SharedPlaces.Shares {
        SharedPlaces.Shares(
            all: framesMax, ofClient: framesPerPeerMax,
            ofSite: min(framesPerPeerMax, max(1, framesMax / 8)),
            ofKind: framesMax - framesMax / 4, reserve: framesMax / 16)
    }

    /// The limits of waiting frames; nil if frames do not wait.
    var frameLines: PlaceQueue.Lines? {
        let own = framesWaitingPerPeerMax
        guard own > 0 else { return nil }
        return PlaceQueue.Lines(
            SharedPlaces.Shares(
                all: 4 * own, ofClient: own, ofSite: own, ofKind: 3 * own, reserve: own / 4),
            patience: .seconds(waitSecondsMax))
    }
}

/// The state of a transport.
public enum TransportState: Hashable, Sendable {
    /// The transport serves peers; the text is its address, for the owner.
    case open(String)
    /// The transport accepts nothing more and waits for frames that are being answered.
    case draining
    /// The transport has ended.
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
