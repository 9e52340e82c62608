// SPDX-License-Identifier: Apache-2.0

/// One message of a data channel.
public struct ChannelMessage: Hashable, Sendable {
    /// The bytes of the message; UTF-8 if it is text.
    public let bytes: [UInt8]
    /// True if it was sent as text.
    public let isText: Bool

    /// Creates a message.
    public init(_ bytes: [UInt8], isText: Bool = true) {
        self.bytes = bytes
        self.isText = isText
    }
}

/// An open channel, which delivers whole messages in order.
public protocol DataChannel: Sendable {
    /// The maximum message size that the other side accepts, in bytes (RFC 8841, 6.1).
    var maxMessageSize: Int { get }
    /// The reason that the channel is closed; nil while it is open.
    var ending: String? { get }

    /// Sends a message after all earlier ones; waits if the other side is slow.
    ///
    /// Throws for a message larger than `maxMessageSize`, without sending any part of it.
    func send(_ message: ChannelMessage) async throws(ChannelError)
    /// Returns the next message; nil after the end, or if the task is cancelled.
    func next() async -> ChannelMessage?
    /// Closes the channel after the sent messages, and returns after it has ended.
    func close() async
}

/// The reasons that there is no channel, or that a message is not sent.
public enum ChannelError: Error, Hashable, Sendable {
    /// The channel is closed; the reason in words.
    case closed(String)
    /// The message is larger than the other side accepts.
    case tooLarge(bytesMax: Int)
    /// The program for the channel is missing or not trusted; the reason and a hint.
    case missingProgram(String, hint: String)
    /// The channel did not open in time; the text names the step that took too long.
    case timedOut(String)
    /// The task was cancelled.
    case cancelled
}

/// A channel that this side offers, with exactly one offer.
public protocol ChannelOffer: Sendable {
    /// Returns the description of this side, as SDP.
    func offer() async throws(ChannelError) -> String
    /// The candidates of this side found after the offer.
    var candidates: [ICECandidate] { get }
    /// Accepts the description of the other side; only the first one counts.
    func take(answer: String) async
    /// Accepts a candidate of the other side.
    func take(_ candidate: ICECandidate) async
    /// Returns the channel after it is open.
    func opened() async throws(ChannelError) -> any DataChannel
    /// Returns true as soon as it is known that no configured TURN relay works.
    ///
    /// Returns false if the channel ends, or the task is cancelled, before that.
    func isWithoutRelay() async -> Bool
    /// Cancels the offer, and returns after it has ended.
    func close() async
}

extension ChannelOffer {
    /// Returns false, because no TURN relay is configured.
    public func isWithoutRelay() async -> Bool { false }
}
