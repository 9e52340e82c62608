// SPDX-License-Identifier: Apache-2.0

extension SigningHub {
    /// How long the sending of one answer may take before the rest stays here, in seconds.
    package static let broadcastSecondsMax: Int64 = 120

    /// Sends each item once, in order, and records what became of it; after one that is not
    /// accepted, or when the time is over, the others stay here.
    package func deliver(
        _ broadcast: Broadcast, by send: (Broadcast.Item) async -> Broadcast.Result
    ) async -> [Broadcast.Delivery] {
        var deliveries: [Broadcast.Delivery] = []
        var isOpen = true
        let end = environment.now().seconds + Self.broadcastSecondsMax
        for item in broadcast.items {
            var result = Broadcast.Result.notSent("one before it was not accepted")
            if isOpen, environment.now().seconds >= end {
                result = .notSent("sending what is before it took too long")
            } else if isOpen {
                result = await send(item)
            }
            if case .accepted = result {} else { isOpen = false }
            // Without this record it counts as unknown, which is the safe reading.
            try? ledger.record(result, of: item.id, at: environment.now())
            deliveries.append(Broadcast.Delivery(item, result))
        }
        return deliveries
    }
}
