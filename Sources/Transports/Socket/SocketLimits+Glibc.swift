// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The limits for clients of the socket.
enum SocketLimits {
    /// The time for the complete head of a connection's first request, in seconds.
    static let headSeconds = 5
    /// The time for the complete head of the next request, in seconds.
    static let idleSeconds = 60
    /// The time for the complete body, in seconds.
    static let bodySeconds = 10
    /// The time for a client to read its answer, in seconds.
    static let answerSeconds = 30
    /// The longest `wait_seconds` of a request, in seconds.
    static let waitSecondsMax: Int64 = 120
    /// The wait of a request without `wait_seconds`, in seconds.
    static let waitSecondsDefault: Int64 = 30
    /// The most connections that wait for the end of one request.
    static let waitersMax = 4
    /// The time in seconds within which a waiting command must ask for its answer again.
    static let returnSeconds = 3
    /// The room in a body besides the frame in Base64, in bytes.
    static let bodyMarginBytes = 64 << 10
    /// The most bodies and frames in memory, in bytes.
    static let heldBytesMax = 64 << 20
    /// The time for which an answer is kept, in seconds.
    static let keptSeconds = 600
    /// The most answers to keep.
    static let keptMax = 1_000
    /// The total size of kept answers, in bytes.
    static let keptBytesMax = 64 << 20
    /// The longest client name, in bytes.
    static let clientBytesMax = 256
    /// The longest `Idempotency-Key`, in bytes.
    static let keyBytesMax = 128
    /// The value of `Retry-After` in refusals, in seconds.
    static let retrySeconds = 1
    /// The silence in seconds after which a connection may be closed to make room for a new one.
    static let roomSeconds = 1
    /// The most connections beyond the limit that receive a refusal at one time.
    static let turnedAwayMax = 256
    /// The time in milliseconds for a connection beyond the limit to send its request; other
    /// connections wait until then.
    private static let turnedAwayMilliseconds = 250
    /// The fewest connections with which the service starts.
    static let connectionsMin = 32
    /// The descriptors reserved for other uses than connections.
    static let descriptorsKept = 200
    /// The time for sending answers when the transport stops, in seconds.
    static let closingSeconds: Int64 = 1

    /// Returns the time for the first bytes of a connection.
    static func patience(isServed: Bool) -> Duration {
        isServed ? .seconds(headSeconds) : .milliseconds(turnedAwayMilliseconds)
    }

    /// Returns the most connections of the library, which would not answer beyond its own limit.
    static func descriptors(for connectionsMax: Int) -> Int {
        var limit = rlimit()
        _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return min(
            Int(clamping: limit.rlim_cur) - descriptorsKept, connectionsMax + turnedAwayMax)
    }
}
