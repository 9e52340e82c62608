// SPDX-License-Identifier: Apache-2.0

import PolicyReference
import SigningCore
import SigningPolicy

/// An allow rule for payments, with additional lines.
func payRule(_ rest: String, id: String = "pay") -> String {
    "[[rule]]\nid = \"\(id)\"\neffect = \"allow\"\nprotocol = \"algorand\"\n"
        + "operation = \"sign_transactions\"\n\(rest)\n"
}

/// A payment of an amount in microAlgo.
func payment(
    _ amount: Int128?, to receiver: String = "bob", dangers: [String] = [],
    at seconds: Int64 = 1_000
) -> JudgedRequest {
    let facts =
        (amount.map { [Fact("amount", .integer($0))] } ?? [])
        + [Fact("receiver", .text(receiver)), Fact("type", .text("pay"))]
    return FakeRequest(
        protocolID: ProtocolID("algorand"), method: "sign_transactions",
        client: Client(id: "app", name: nil, proof: .claimed),
        operations: [.fake(facts, dangers: dangers)]
    ).judged(at: seconds)
}
