// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// What a client of the socket may take up.
enum SocketLimits {
    /// Until the whole head of a connection's first request is there, in seconds.
    static let headSeconds = 5
    /// Until the whole head of the next request is there, in seconds.
    static let idleSeconds = 60
    /// Until the whole body is there, in seconds.
    static let bodySeconds = 10
    /// Until a client has taken its answer, in seconds.
    static let answerSeconds = 30
    /// How long a request may ask to wait for its end, in seconds.
    static let waitSecondsMax: Int64 = 120
    /// How long one waits that says nothing about it, in seconds.
    static let waitSecondsDefault: Int64 = 30
    /// How many connections wait for the end of one request.
    static let waitersMax = 4
    /// Within which a command that was told to wait has to ask again, in seconds.
    static let returnSeconds = 3
    /// What a body holds besides the frame in Base64, in bytes.
    static let bodyMarginBytes = 64 << 10
    /// All bodies and frames together that are held at one time, in bytes.
    static let heldBytesMax = 64 << 20
    /// How long an answer is kept, in seconds.
    static let keptSeconds = 600
    /// How many answers are kept.
    static let keptMax = 1_000
    /// How large the answers are that are kept, in bytes.
    static let keptBytesMax = 64 << 20
    /// The longest name that a client may give itself, in bytes.
    static let clientBytesMax = 256
    /// The longest `Idempotency-Key`, in bytes.
    static let keyBytesMax = 128
    /// How long who is turned away is told to stay away, in seconds.
    static let retrySeconds = 1
    /// After which silence a connection makes room for a new one where there are too many, in
    /// seconds.
    static let roomSeconds = 1
    /// How many connections beyond their limit are told so at one time.
    static let turnedAwayMax = 256
    /// Until one of those has to say something to be told, in milliseconds: others wait behind it.
    private static let turnedAwayMilliseconds = 250
    /// With fewer connections than these there is no service.
    static let connectionsMin = 32
    /// Descriptors that are left for other uses than connections.
    static let descriptorsKept = 200
    /// How long answers may take to leave when the transport stops, in seconds.
    static let farewellSeconds: Int64 = 1

    /// How long a connection may say nothing at first.
    static func patience(isServed: Bool) -> Duration {
        isServed ? .seconds(headSeconds) : .milliseconds(turnedAwayMilliseconds)
    }

    /// How many connections the library takes; at its own limit it would say nothing to others.
    static func descriptors(for connectionsMax: Int) -> Int {
        var limit = rlimit()
        _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return min(
            Int(clamping: limit.rlim_cur) - descriptorsKept, connectionsMax + turnedAwayMax)
    }
}
