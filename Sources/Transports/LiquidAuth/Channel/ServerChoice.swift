// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

extension LiquidOrder {
    /// Returns the order with only one `stun:` server: the first in order that answers.
    ///
    /// The program for the channel uses only one STUN server, but all relays.
    public func choosingServer(
        on threads: any TaskExecutor, randomBytes: (Int) -> [UInt8],
        _ report: (LiquidStage) -> Void
    ) async -> LiquidOrder {
        let asked = servers.filter { $0.user == nil }
        guard asked.count > 1 else { return self }
        let race = ServerRace(asked.count)
        for (place, server) in asked.enumerated() {
            let transaction = randomBytes(ServerRace.transactionBytes)
            // A DNS lookup can take too long and cannot be cancelled.
            Task(executorPreference: threads) {
                race.note(place, STUNProbe.answers(server, transaction))
            }
        }
        let place = await race.first()
        report(.stunServer(place.map { asked[$0].uri }))
        var chosen = self
        chosen.servers.removeAll { $0.user == nil && $0 != asked[place ?? 0] }
        return chosen
    }
}

/// Finds the first server in order among several concurrent answers.
final class ServerRace: Sendable {
    static let transactionBytes = 12
    /// The maximum time to wait for all servers.
    private static let patience = Duration.milliseconds(1_500)

    private let answers: Mutex<[Bool?]>
    /// The index of the first server, set when it is known; -1 if no server answers.
    private let decided = Once<Int>()

    init(_ count: Int) { answers = Mutex(Array(repeating: nil, count: count)) }

    /// Notes whether a server answers.
    func note(_ place: Int, _ isThere: Bool) {
        let first = answers.withLock { answers -> Int? in
            answers[place] = isThere
            // An earlier server may still answer.
            let known = answers.prefix { $0 != nil }
            return known.firstIndex { $0 == true } ?? (known.count == answers.count ? -1 : nil)
        }
        if let first { decided.set(first) }
    }

    /// Returns the index of the first server that answers in time; nil if no server answers.
    func first() async -> Int? {
        if let place = await decided.value(within: Self.patience) { return place < 0 ? nil : place }
        return answers.withLock { $0.firstIndex { $0 == true } }
    }
}
