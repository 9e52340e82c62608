// SPDX-License-Identifier: Apache-2.0

extension SigningHub {
    /// The time for sending all items of one answer, in seconds; later items are not sent.
    package static let broadcastSecondsMax: Int64 = 120

    /// The time in seconds after which the next request of a lane starts although an item is still
    /// being sent.
    ///
    /// Nodes usually answer within a few seconds. A silent one is assumed to have the item by then.
    package static let laneSecondsMax: Int64 = 10

    /// Returns the answer after its items were sent by the courier, or unchanged without a courier.
    func sent<Request: SignRequest>(
        _ answer: Answer, by courier: (any Courier)?, _ aging: Aging<Request>?
    ) async -> Answer {
        guard let courier, case .broadcast(let broadcast) = answer.reply else { return answer }
        let opening = Task {
            try await Task.sleep(for: .seconds(Self.laneSecondsMax))
            aging?.pass()
        }
        defer { opening.cancel() }
        // A task of its own: sending must continue even if the client has left.
        let sending = Task { await deliver(broadcast, by: courier) }
        return answer.completed(by: await sending.value)
    }

    /// Returns the reply to the client, from the results of a broadcast.
    func encode<Adapter: ProtocolAdapter>(
        _ deliveries: [Broadcast.Delivery], to decoded: Decoded<Adapter.Request>,
        by adapter: Adapter
    ) -> Reply {
        guard let sender = adapter as? any Broadcasts<Adapter.Request> else {
            return .undeliverable(Reason(.undeliverable, "this wire cannot broadcast"))
        }
        return sender.encode(deliveries, to: decoded.request)
    }

    /// Sends each item once, in order, and records its result.
    ///
    /// After an item that is not accepted, or after the time limit, the later items are not sent.
    package func deliver(
        _ broadcast: Broadcast, by courier: any Courier
    ) async -> [Broadcast.Delivery] {
        var deliveries: [Broadcast.Delivery] = []
        var isOpen = true
        let end = environment.now().seconds + Self.broadcastSecondsMax
        for item in broadcast.items {
            var result = Broadcast.Result.notSent("an earlier one was not accepted")
            if isOpen, environment.now().seconds >= end {
                result = .notSent("sending the earlier ones took too long")
            } else if isOpen {
                result = await send(item, to: broadcast.network, by: courier)
            }
            if case .accepted = result {} else { isOpen = false }
            // If this fails, the result counts as unknown, which is safe.
            try? await ledger.record(result, of: item.id, at: environment.now())
            deliveries.append(Broadcast.Delivery(item, result))
        }
        return deliveries
    }

    private func send(
        _ item: Broadcast.Item, to network: String, by courier: any Courier
    ) async -> Broadcast.Result {
        // The item may have been sent before: identical bytes have one id. Then the node's answer
        // does not tell the result of the earlier attempt.
        guard isFirst(item) else { return await courier.resend(item, to: network) }
        let result = await courier.send(item, to: network)
        // Another process may have sent the item at the same time.
        guard case .refused(_, let text) = result, !isFirst(item) else { return result }
        return .unknown(text)
    }

    /// True if no process sent the item before; false if the record cannot be read.
    private func isFirst(_ item: Broadcast.Item) -> Bool {
        (try? !ledger.mayHaveSent(item.id)) ?? false
    }
}
