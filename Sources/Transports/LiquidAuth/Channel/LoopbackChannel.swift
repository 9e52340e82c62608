// SPDX-License-Identifier: Apache-2.0

/// One end of a channel in one process, for tests and for apps with an existing connection.
public final class LoopbackChannel: DataChannel {
    /// The maximum number of unread messages in each direction; then a sender waits.
    private static let waitingMax = 64

    /// The maximum message size, in bytes.
    public let maxMessageSize: Int
    private let isFirst: Bool
    private let incoming: Mailbox<ChannelMessage>
    private let outgoing: Mailbox<ChannelMessage>
    /// True if the first end closed the channel.
    private let closedByFirst: Once<Bool>

    private init(
        isFirst: Bool, _ incoming: Mailbox<ChannelMessage>, _ outgoing: Mailbox<ChannelMessage>,
        _ maxMessageSize: Int, _ closedByFirst: Once<Bool>
    ) {
        self.isFirst = isFirst
        self.incoming = incoming
        self.outgoing = outgoing
        self.maxMessageSize = maxMessageSize
        self.closedByFirst = closedByFirst
    }

    /// Returns two open ends; `maxMessageSize` is in bytes.
    public static func pair(
        maxMessageSize: Int = 256 << 10
    ) -> (LoopbackChannel, LoopbackChannel) {
        let there = Mailbox<ChannelMessage>(countMax: waitingMax)
        let back = Mailbox<ChannelMessage>(countMax: waitingMax)
        let closedByFirst = Once<Bool>()
        return (
            LoopbackChannel(isFirst: true, back, there, maxMessageSize, closedByFirst),
            LoopbackChannel(isFirst: false, there, back, maxMessageSize, closedByFirst)
        )
    }

    /// The side that closed the channel, in words; nil while it is open.
    public var ending: String? {
        closedByFirst.now.map {
            $0 == isFirst ? "it was closed here" : "the peer closed the channel"
        }
    }

    /// Sends a message; waits if too many are unread.
    public func send(_ message: ChannelMessage) async throws(ChannelError) {
        guard message.bytes.count <= maxMessageSize else {
            throw .tooLarge(bytesMax: maxMessageSize)
        }
        guard await outgoing.put(message) else {
            if let ending { throw .closed(ending) }
            throw .cancelled
        }
    }

    /// Returns the next message; nil after the end, or if the task is cancelled.
    public func next() async -> ChannelMessage? { await incoming.next() }

    /// Closes both ends.
    public func close() async {
        closedByFirst.set(isFirst)
        incoming.close()
        outgoing.close()
    }
}
