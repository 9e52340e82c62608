// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Queues of requests whose order matters, such as numbered transactions of one access key.
///
/// A queue, or lane, is of one process only. Other processes take different numbers from the ledger
/// and may send their transactions in between.
final class Lanes: Sendable {
    /// The longest wait for a turn, in seconds.
    static let secondsMax: Int64 = 120

    /// The turn of a request in a lane, until `end` is called or this object is deallocated.
    final class Turn: Sendable {
        private let lanes: Lanes
        private let name: String
        private let isOver = Mutex(false)

        fileprivate init(_ lanes: Lanes, _ name: String) {
            self.lanes = lanes
            self.name = name
        }

        /// Lets the next request start; later calls do nothing.
        func end() {
            let isFirst = isOver.withLock { isOver in
                defer { isOver = true }
                return !isOver
            }
            if isFirst { lanes.pass(name) }
        }

        deinit { end() }
    }

    private struct Waiting {
        let number: Int
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        /// The requests that wait, for each lane in use.
        var lanes: [String: [Waiting]] = [:]
        var count = 0
        /// The numbers of requests that were cancelled before they were registered.
        var left: Set<Int> = []
        /// By item id, the number of requests that are sending the item to a network now.
        var onItsWay: [String: Int] = [:]
    }

    private let state = Mutex(State())

    /// Waits for a turn; nil if the wait was cancelled or took too long.
    func take(_ name: String) async -> Turn? {
        let number: Int? = state.withLock { state in
            guard state.lanes[name] != nil else {
                state.lanes[name] = []
                return nil
            }
            state.count += 1
            return state.count
        }
        guard let number else { return Turn(self, name) }
        let timer = Task {
            try await Task.sleep(for: .seconds(Self.secondsMax))
            leave(name, number)
        }
        defer {
            timer.cancel()
            state.withLock { _ = $0.left.remove(number) }
        }
        let isMine = await withTaskCancellationHandler {
            await wait(name, number)
        } onCancel: {
            leave(name, number)
        }
        return isMine ? Turn(self, name) : nil
    }

    private func wait(_ name: String, _ number: Int) async -> Bool {
        await withCheckedContinuation { continuation in
            let isMine: Bool? = state.withLock { state in
                if state.left.contains(number) { return false }
                guard state.lanes[name] != nil else {
                    state.lanes[name] = []
                    return true
                }
                state.lanes[name]?.append(Waiting(number: number, continuation: continuation))
                return nil
            }
            if let isMine { continuation.resume(returning: isMine) }
        }
    }

    private func leave(_ name: String, _ number: Int) {
        let waiting: Waiting? = state.withLock { state in
            guard let place = state.lanes[name]?.firstIndex(where: { $0.number == number })
            else {
                state.left.insert(number)
                return nil
            }
            return state.lanes[name]?.remove(at: place)
        }
        waiting?.continuation.resume(returning: false)
    }

    private func pass(_ name: String) {
        let next: Waiting? = state.withLock { state in
            guard state.lanes[name]?.isEmpty == false else {
                state.lanes[name] = nil
                return nil
            }
            return state.lanes[name]?.removeFirst()
        }
        next?.continuation.resume(returning: true)
    }

    /// Registers items that are about to be sent to a network.
    func begin(_ ids: [String]) {
        state.withLock { state in for id in ids { state.onItsWay[id, default: 0] += 1 } }
    }

    /// Ends the registration of items, after their results were recorded, even unknown ones.
    func finish(_ ids: [String]) {
        state.withLock { state in
            for id in ids {
                let left = (state.onItsWay[id] ?? 0) - 1
                state.onItsWay[id] = left > 0 ? left : nil
            }
        }
    }

    /// True if this process is sending the item to a network.
    func isOnItsWay(_ id: String) -> Bool { state.withLock { $0.onItsWay[id] != nil } }

    /// Returns the number of requests that wait in a lane.
    func waitingCount(in name: String) -> Int { state.withLock { $0.lanes[name]?.count ?? 0 } }
}
