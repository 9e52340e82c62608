// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A stream of events for one client; a client that reads too slowly is disconnected.
package final class EventStream: Sendable {
    /// The next part to send.
    enum Next {
        case bytes([UInt8])
        /// There is no data now; `wake` is called when there is.
        case nothing
        case end
    }

    private struct State {
        var bytes: [UInt8] = []
        var isOver = false
        var wake: (@Sendable () -> Void)?
    }

    /// The most unsent data of a client, in bytes.
    private static let bytesMax = 1 << 20

    private let state = Mutex(State())

    package init() {}

    /// True if it has ended or its client has left.
    package var isOver: Bool { state.withLock { $0.isOver } }

    /// Adds data; data beyond the limit ends the stream.
    package func put(_ bytes: [UInt8]) {
        change { state in
            if state.bytes.count + bytes.count > Self.bytesMax {
                state.bytes = []
                state.isOver = true
            } else if !state.isOver {
                state.bytes += bytes
            }
        }
    }

    /// Ends the stream after the waiting data.
    package func end() { change { $0.isOver = true } }

    private func change(_ body: (inout State) -> Void) {
        let wake = state.withLock { state in
            body(&state)
            defer { state.wake = nil }
            return state.wake
        }
        wake?()
    }

    /// Takes waiting data, at most so many bytes.
    func next(_ countMax: Int, wake: @escaping @Sendable () -> Void) -> Next {
        state.withLock { state in
            guard state.bytes.isEmpty else {
                let part = Array(state.bytes.prefix(countMax))
                state.bytes.removeFirst(part.count)
                return .bytes(part)
            }
            guard !state.isOver else { return .end }
            state.wake = wake
            return .nothing
        }
    }
}
