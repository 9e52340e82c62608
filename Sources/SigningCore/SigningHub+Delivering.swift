// SPDX-License-Identifier: Apache-2.0

extension SigningHub {
    /// Sends each item once, in order, and records what became of it; after one that is not
    /// accepted the others stay here.
    package func deliver(
        _ broadcast: Broadcast, by send: (Broadcast.Item) async -> Broadcast.Result
    ) async -> [Broadcast.Delivery] {
        var deliveries: [Broadcast.Delivery] = []
        var isOpen = true
        for item in broadcast.items {
            var result = Broadcast.Result.notSent("one before it was not accepted")
            if isOpen { result = await send(item) }
            if case .accepted = result {} else { isOpen = false }
            // Without this record it counts as unknown, which is the safe reading.
            try? ledger.record(result, of: item.id, at: environment.now())
            deliveries.append(Broadcast.Delivery(item, result))
        }
        return deliveries
    }
}
