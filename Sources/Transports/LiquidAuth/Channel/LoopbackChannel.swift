// SPDX-License-Identifier: Apache-2.0

/// One end of a channel within a process, for tests and for apps that have a connection already.
public final class LoopbackChannel: DataChannel {
    /// Messages that wait in each direction before a sender does.
    private static let waitingMax = 64

    /// The largest message, in bytes.
    public let maxMessageSize: Int
    private let isFirst: Bool
    private let incoming: Mailbox<ChannelMessage>
    private let outgoing: Mailbox<ChannelMessage>
    /// Whether the first of the two closed it.
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

    /// Two ends that are open; each takes messages of so many bytes.
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

    /// Which side closed it, in words; nil as long as it is open.
    public var ending: String? {
        closedByFirst.now.map {
            $0 == isFirst ? "it was closed here" : "the peer closed the channel"
        }
    }

    /// Sends a message; waits where many are not read yet.
    public func send(_ message: ChannelMessage) async throws(ChannelError) {
        guard message.bytes.count <= maxMessageSize else {
            throw .tooLarge(bytesMax: maxMessageSize)
        }
        guard await outgoing.put(message) else {
            if let ending { throw .closed(ending) }
            throw .cancelled
        }
    }

    /// The next message; nil where there are no more, or the task is cancelled.
    public func next() async -> ChannelMessage? { await incoming.next() }

    /// Ends it for both sides.
    public func close() async {
        closedByFirst.set(isFirst)
        incoming.close()
        outgoing.close()
    }
}
