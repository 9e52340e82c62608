// SPDX-License-Identifier: Apache-2.0

extension SigningHub {
    /// The time limit for sending the items of one answer, in seconds; the rest is not sent.
    package static let broadcastSecondsMax: Int64 = 120

    /// The longest time that a lane waits for an item that is being sent, in seconds.
    ///
    /// Outcomes arrive within a few seconds, and a node that is silent for so long is assumed to
    /// have the item.
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
        // Sending continues although the client has left: other clients may have joined.
        let sending = Task { await deliver(broadcast, by: courier) }
        return answer.completed(by: await sending.value)
    }

    /// Writes the message from the results of a broadcast.
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
            // Without this record the result is unknown, which is the safe reading.
            try? await ledger.record(result, of: item.id, at: environment.now())
            deliveries.append(Broadcast.Delivery(item, result))
        }
        return deliveries
    }

    private func send(
        _ item: Broadcast.Item, to network: String, by courier: any Courier
    ) async -> Broadcast.Result {
        // Identical bytes have one id; a node's answer now does not prove the result of an earlier
        // attempt.
        guard isFirst(item) else { return await courier.resend(item, to: network) }
        let result = await courier.send(item, to: network)
        // Another process may have sent the item meanwhile.
        guard case .refused(_, let text) = result, !isFirst(item) else { return result }
        return .unknown(text)
    }

    /// True if no process sent the item before; false if the record cannot be read.
    private func isFirst(_ item: Broadcast.Item) -> Bool {
        (try? !ledger.mayHaveSent(item.id)) ?? false
    }
}
