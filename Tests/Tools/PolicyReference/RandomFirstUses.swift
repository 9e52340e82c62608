// SPDX-License-Identifier: Apache-2.0
package import SigningCore

extension RandomPolicies {
    static let peerFirstUses = [
        "first_use.peer = { min = \"1h\" }", "first_use.peer = { max = \"1h\" }",
        "first_use.peer = { max = 0 }", "first_use.peer = { min = \"1s\", max = \"2d\" }",
    ]

    static let receiverFirstUses = [
        "first_use.receiver = { min = \"1h\" }", "first_use.receiver = { max = \"1h\" }",
        "first_use.receiver = { max = \"0s\" }",
    ]

    /// First uses of some counterparties near the times of requests.
    package mutating func firstUses() -> [String: Timestamp] {
        var uses: [String: Timestamp] = [:]
        for field in ["peer", "receiver"] {
            for value in ["aa", "bb", "cc", "own1"] where Bool.random(using: &generator) {
                uses["\(field) \(value)"] = Timestamp(
                    seconds: pick(Self.times) - pick([-1, 0, 1, 3_599, 3_600, 3_601, 172_800]))
            }
        }
        return uses
    }
}
