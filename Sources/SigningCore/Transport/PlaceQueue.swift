// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Limits the number of requests in progress; requests beyond the limit wait, in a line per client.
///
/// A client's requests get places in order of arrival. Clients take turns, so that the long line of
/// one client delays no other client.
package final class PlaceQueue: Sendable {
    /// The reasons that a client receives no place.
    package enum Refusal: Error {
        /// The client has its maximum of places, and its line is full or the wait was too long.
        case ofClient
        /// All places are taken, and the lines are full or the wait was too long.
        case ofAll
        /// The request was cancelled.
        case left
        /// The queue has ended.
        case ended
    }

    /// The limits of waiting requests: their number, their bytes, and the time of a wait.
    package struct Lines: Sendable {
        let shares: SharedPlaces.Shares
        let bytesOfClient: Int
        let bytes: Int
        let patience: Duration

        /// Creates limits; `bytes` is the limit for all clients together.
        ///
        /// It is twice as high for the first waiting request of a client.
        package init(
            _ shares: SharedPlaces.Shares, bytesOfClient: Int = 16 << 20, bytes: Int = 64 << 20,
            patience: Duration = .seconds(30)
        ) {
            self.shares = shares
            self.bytesOfClient = bytesOfClient
            self.bytes = bytes
            self.patience = patience
        }
    }

    private struct Waiter {
        let number: Int
        let bytes: Int
        let continuation: CheckedContinuation<Refusal?, Never>
    }

    private struct State {
        var places: SharedPlaces
        var waiting: SharedPlaces?
        var lines: [CountedClient: [Waiter]] = [:]
        /// The waiting clients; the first has the next turn.
        var turns: [CountedClient] = []
        var bytes: [CountedClient: Int] = [:]
        var bytesCount = 0
        /// The numbers of requests that were cancelled before they entered a line.
        var left: Set<Int> = []
        var lastNumber = 0
        var isEnded = false
    }

    /// The result of entering a line.
    private enum Entry {
        case waits
        /// The request got a place, which had become free.
        case taken
        case refused(Refusal)
    }

    private let lines: Lines?
    private let state: Mutex<State>

    /// Creates a queue; without `lines`, requests do not wait but are refused.
    package init(_ shares: SharedPlaces.Shares, _ lines: Lines? = nil) {
        self.lines = lines
        state = Mutex(
            State(places: SharedPlaces(shares), waiting: lines.map { SharedPlaces($0.shares) }))
    }

    /// The number of taken places.
    package var count: Int { state.withLock { $0.places.count } }

    /// Takes a place for a client, after waiting in the client's line if necessary; the caller must
    /// give the place back with `leave`.
    package func take(_ client: CountedClient, bytes: Int = 0) async throws(Refusal) {
        let refusal = state.withLock { Self.takeAtOnce(client, &$0) }
        guard let refusal else { return }
        guard let lines, refusal != .ended else { throw refusal }
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        defer { state.withLock { _ = $0.left.remove(number) } }
        let timer = Task {
            do { try await Task.sleep(for: lines.patience) } catch { return }
            remove(number, of: client, because: refusal)
        }
        defer { timer.cancel() }
        let ending = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waiter = Waiter(number: number, bytes: bytes, continuation: continuation)
                switch state.withLock({ Self.enter(waiter, of: client, by: lines, &$0) }) {
                case .waits: break
                case .taken: continuation.resume(returning: nil)
                case .refused(let refusal): continuation.resume(returning: refusal)
                }
            }
        } onCancel: {
            leaveLine(of: client, number)
        }
        if let ending { throw ending }
    }

    /// Gives a place back, to the next waiting request.
    package func leave(_ client: CountedClient) {
        let admitted = state.withLock { state in
            state.places.leave(client)
            return Self.admit(&state)
        }
        for waiter in admitted { waiter.continuation.resume(returning: nil) }
    }

    /// Ends the queue: waiting requests fail with `ended`.
    package func end() {
        let waiters = state.withLock { state in
            state.isEnded = true
            return state.lines.flatMap { client, line in line.map { (client, $0) } }
        }
        for (client, waiter) in waiters { remove(waiter.number, of: client, because: .ended) }
    }

    /// Takes a place if one is free and no request of the client waits; returns nil on success.
    private static func takeAtOnce(_ client: CountedClient, _ state: inout State) -> Refusal? {
        if state.isEnded { return .ended }
        guard state.lines[client] == nil else { return .ofClient }
        do throws(SharedPlaces.Refusal) {
            try state.places.take(client)
            return nil
        } catch {
            return error == .ofClient ? .ofClient : .ofAll
        }
    }

    /// Puts a request at the end of its client's line.
    private static func enter(
        _ waiter: Waiter, of client: CountedClient, by lines: Lines, _ state: inout State
    ) -> Entry {
        if state.left.contains(waiter.number) { return .refused(.left) }
        // A place may have become free between the two uses of the lock.
        guard let refusal = takeAtOnce(client, &state) else { return .taken }
        let own = state.bytes[client, default: 0]
        let all = state.bytesCount + waiter.bytes
        let hasRoom =
            own == 0
            ? all <= 2 * lines.bytes
            : own + waiter.bytes <= lines.bytesOfClient && all <= lines.bytes
        guard refusal != .ended, hasRoom, (try? state.waiting?.take(client)) != nil else {
            return .refused(refusal)
        }
        state.bytes[client] = own + waiter.bytes
        state.bytesCount = all
        if state.lines[client] == nil { state.turns.append(client) }
        state.lines[client, default: []].append(waiter)
        return .waits
    }

    /// Takes a request out of a line.
    private static func remove(
        at index: Int, of client: CountedClient, _ state: inout State
    ) -> Waiter? {
        guard let waiter = state.lines[client]?.remove(at: index) else { return nil }
        state.waiting?.leave(client)
        state.bytesCount -= waiter.bytes
        let own = (state.bytes[client] ?? 0) - waiter.bytes
        state.bytes[client] = own > 0 ? own : nil
        if state.lines[client]?.isEmpty == true {
            state.lines[client] = nil
            state.turns.removeAll { $0 == client }
        }
        return waiter
    }

    /// Gives free places to waiting requests, in turns.
    private static func admit(_ state: inout State) -> [Waiter] {
        var admitted: [Waiter] = []
        var missesCount = 0
        while missesCount < state.turns.count, let client = state.turns.first {
            state.turns.append(state.turns.removeFirst())
            if (try? state.places.take(client)) != nil,
                let waiter = remove(at: 0, of: client, &state)
            {
                admitted.append(waiter)
                missesCount = 0
            } else {
                missesCount += 1
            }
        }
        return admitted
    }

    private func leaveLine(of client: CountedClient, _ number: Int) {
        if !remove(number, of: client, because: .left) {
            state.withLock { _ = $0.left.insert(number) }
        }
    }

    @discardableResult
    private func remove(_ number: Int, of client: CountedClient, because reason: Refusal) -> Bool {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.lines[client]?.firstIndex(where: { $0.number == number })
            else { return nil }
            return Self.remove(at: index, of: client, &state)
        }
        waiter?.continuation.resume(returning: reason)
        return waiter != nil
    }
}
