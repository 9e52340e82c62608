// SPDX-License-Identifier: Apache-2.0

/// One message of a data channel.
public struct ChannelMessage: Hashable, Sendable {
    /// Its bytes, UTF-8 where it is text.
    public let bytes: [UInt8]
    /// Whether it was sent as text.
    public let isText: Bool

    /// A message of bytes that are text, or none.
    public init(_ bytes: [UInt8], isText: Bool = true) {
        self.bytes = bytes
        self.isText = isText
    }
}

/// A channel that is open: messages in order, each whole.
public protocol DataChannel: Sendable {
    /// The largest message that the other side takes, in bytes (RFC 8841, 6.1).
    var maxMessageSize: Int { get }
    /// Why it is not open any more; nil as long as it is.
    var ending: String? { get }

    /// Sends a message, after those before it; waits where the other side does not keep up.
    ///
    /// Nothing is sent of one that is larger than `maxMessageSize`.
    func send(_ message: ChannelMessage) async throws(ChannelError)
    /// The next message; nil where there are no more, or the task is cancelled.
    func next() async -> ChannelMessage?
    /// Ends it after what was sent; nothing of it is left when this returns.
    func close() async
}

/// Why there is no channel, or a message is not sent.
public enum ChannelError: Error, Hashable, Sendable {
    /// It is closed; why, in words.
    case closed(String)
    /// The message has more bytes than the other side takes.
    case tooLarge(bytesMax: Int)
    /// What keeps the channel is not there, or cannot be trusted; in words, with what helps.
    case missingProgram(String, hint: String)
    /// Nobody came in time; what was waited for.
    case timedOut(String)
    /// The task was cancelled.
    case cancelled
}

/// A channel that this side has opened and offers: one offer, which never changes.
public protocol ChannelOffer: Sendable {
    /// The description, as SDP.
    func offer() async throws(ChannelError) -> String
    /// Ways to this side that were found since.
    var candidates: [ICECandidate] { get }
    /// Takes the other side's description; the first one counts.
    func take(answer: String) async
    /// Takes a way to the other side.
    func take(_ candidate: ICECandidate) async
    /// The channel, once it is open.
    func opened() async throws(ChannelError) -> any DataChannel
    /// Waits until it is known that no relay takes part although some were named; false where that
    /// is not so by the end, or the task is cancelled.
    func isWithoutRelay() async -> Bool
    /// Gives it up; nothing of it is left when this returns.
    func close() async
}

extension ChannelOffer {
    /// No relay was named.
    public func isWithoutRelay() async -> Bool { false }
}
