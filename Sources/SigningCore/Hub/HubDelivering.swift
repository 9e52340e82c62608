// SPDX-License-Identifier: Apache-2.0

extension SigningHub {
    /// How long the sending of one answer may take before the rest stays here, in seconds.
    package static let broadcastSecondsMax: Int64 = 120

    /// How long the next request of a lane waits for what is being sent, in seconds: an outcome
    /// comes within a few, and a node that says nothing for so long has what it was handed.
    package static let laneSecondsMax: Int64 = 10

    /// The answer once what it holds for a network was sent; it is not sent where nobody does.
    func sent<Request: SignRequest>(
        _ answer: Answer, by courier: (any Courier)?, _ aging: Aging<Request>?
    ) async -> Answer {
        guard let courier, case .broadcast(let broadcast) = answer.reply else { return answer }
        let opening = Task {
            try await Task.sleep(for: .seconds(Self.laneSecondsMax))
            aging?.pass()
        }
        defer { opening.cancel() }
        // Once begun it ends, also where whoever asked has left: others may have joined.
        let sending = Task { await deliver(broadcast, by: courier) }
        return answer.completed(by: await sending.value)
    }

    /// Writes the message from what became of a broadcast.
    func encode<Adapter: ProtocolAdapter>(
        _ deliveries: [Broadcast.Delivery], to decoded: Decoded<Adapter.Request>,
        by adapter: Adapter
    ) -> Reply {
        guard let sender = adapter as? any Broadcasts<Adapter.Request> else {
            return .undeliverable(Reason(.undeliverable, "this wire broadcasts nothing"))
        }
        return sender.encode(deliveries, to: decoded.request)
    }

    /// Sends each item once, in order, and records what became of it; after one that is not
    /// accepted, or when the time is over, the others stay here.
    package func deliver(
        _ broadcast: Broadcast, by courier: any Courier
    ) async -> [Broadcast.Delivery] {
        var deliveries: [Broadcast.Delivery] = []
        var isOpen = true
        let end = environment.now().seconds + Self.broadcastSecondsMax
        for item in broadcast.items {
            var result = Broadcast.Result.notSent("one before it was not accepted")
            if isOpen, environment.now().seconds >= end {
                result = .notSent("sending what is before it took too long")
            } else if isOpen {
                result = await send(item, to: broadcast.network, by: courier)
            }
            if case .accepted = result {} else { isOpen = false }
            // Without this record it counts as unknown, which is the safe reading.
            try? await ledger.record(result, of: item.id, at: environment.now())
            deliveries.append(Broadcast.Delivery(item, result))
        }
        return deliveries
    }

    private func send(
        _ item: Broadcast.Item, to network: String, by courier: any Courier
    ) async -> Broadcast.Result {
        // The same bytes have the same id; what a node says now is nothing about before.
        guard isFirst(item) else { return await courier.resend(item, to: network) }
        let result = await courier.send(item, to: network)
        // Nor about what another process sent meanwhile.
        guard case .refused(_, let text) = result, !isFirst(item) else { return result }
        return .unknown(text)
    }

    /// Whether nobody handed an item to the network before; false where the record cannot be read.
    private func isFirst(_ item: Broadcast.Item) -> Bool {
        (try? !ledger.mayHaveSent(item.id)) ?? false
    }
}
