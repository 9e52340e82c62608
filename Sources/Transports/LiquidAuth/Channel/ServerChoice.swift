// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

extension LiquidOrder {
    /// The same with one `stun:` server of several: the first in their order that answers.
    ///
    /// The program that keeps the channel asks one; of relays it takes all.
    public func choosingServer(
        on threads: any TaskExecutor, randomBytes: (Int) -> [UInt8],
        _ report: (LiquidStage) -> Void
    ) async -> LiquidOrder {
        let asked = servers.filter { $0.user == nil }
        guard asked.count > 1 else { return self }
        let race = ServerRace(asked.count)
        for (place, server) in asked.enumerated() {
            let transaction = randomBytes(ServerRace.transactionBytes)
            // The resolver can take longer than anybody waits, and cannot be stopped.
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

/// The first in order of several that answer.
final class ServerRace: Sendable {
    static let transactionBytes = 12
    /// How long is waited for all of them.
    private static let patience = Duration.milliseconds(1_500)

    private let answers: Mutex<[Bool?]>
    /// Set once the first in order is known; -1 where none answers.
    private let decided = Once<Int>()

    init(_ count: Int) { answers = Mutex(Array(repeating: nil, count: count)) }

    /// Takes in whether one answers.
    func note(_ place: Int, _ isThere: Bool) {
        let first = answers.withLock { answers -> Int? in
            answers[place] = isThere
            // One before it may still answer.
            let known = answers.prefix { $0 != nil }
            return known.firstIndex { $0 == true } ?? (known.count == answers.count ? -1 : nil)
        }
        if let first { decided.set(first) }
    }

    /// The place of the first that answers in time; nil where none does.
    func first() async -> Int? {
        if let place = await decided.value(within: Self.patience) { return place < 0 ? nil : place }
        return answers.withLock { $0.firstIndex { $0 == true } }
    }
}
