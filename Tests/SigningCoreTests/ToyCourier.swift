// SPDX-License-Identifier: Apache-2.0

import SigningCore

/// Delivers with the outcome that a test sets, and looks nothing up.
struct ToyCourier: Courier {
    typealias Lookup = NoLookup

    let onSending: @Sendable (Broadcast.Item, String) -> Broadcast.Result
    var onSendingAgain: @Sendable (Broadcast.Item) -> Broadcast.Result = { _ in .unknown("again") }

    init(_ onSending: @escaping @Sendable (Broadcast.Item, String) -> Broadcast.Result) {
        self.onSending = onSending
    }

    var protocolID: ProtocolID { ProtocolID("toy") }

    func reaches(_: String) -> Bool { true }

    func send(_ item: Broadcast.Item, to network: String) async -> Broadcast.Result {
        onSending(item, network)
    }

    func resend(_ item: Broadcast.Item, to _: String) async -> Broadcast.Result {
        onSendingAgain(item)
    }
}
