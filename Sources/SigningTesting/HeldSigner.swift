// SPDX-License-Identifier: Apache-2.0

public import SigningCore
import Synchronization

/// A signer for tests of transports: it answers `re: FRAME` when a test permits it.
public final class HeldSigner: Signer {
    private struct State {
        var isOpen = false
        var heldCount = 0
        var leftCount = 0
        var channels: Set<ChannelName> = []
    }

    private let state = Mutex(State())

    /// Creates a signer that holds its answers back.
    public init() {}

    /// The channel names of the frames.
    public var channels: Set<ChannelName> { state.withLock { $0.channels } }

    /// Permits all answers, those held back and later ones.
    public func release() { state.withLock { $0.isOpen = true } }

    /// Returns as soon as this many frames wait.
    public func holds(_ count: Int) async {
        while state.withLock({ $0.heldCount }) < count { await Self.pause() }
    }

    /// Returns as soon as this many waiting clients have disconnected.
    public func waitForLeaving(_ count: Int = 1) async {
        while state.withLock({ $0.leftCount }) < count { await Self.pause() }
    }

    /// Answers when the test permits it, or when the client has disconnected.
    public func answer(_ frame: Frame, over _: AdapterID?) async -> Answer {
        state.withLock { state in
            state.heldCount += 1
            state.channels.insert(frame.peer.channel)
        }
        while !state.withLock({ $0.isOpen }), !Task.isCancelled { await Self.pause() }
        state.withLock { state in
            state.heldCount -= 1
            if Task.isCancelled { state.leftCount += 1 }
        }
        return .refused(
            AdapterError(
                code: "test", reason: "a test", reply: .message(Array("re: ".utf8) + frame.bytes)))
    }

    private static func pause() async { try? await Task.sleep(for: .milliseconds(1)) }
}
