// SPDX-License-Identifier: Apache-2.0

public import SigningCore

/// A question as a hub would ask it, for tests of approvals.
public enum SampleQuestion {
    /// Creates a question about one signature that a client requests.
    public static func make(
        title: String = "sign a note", client: String = "https://app.example",
        dangers: [Danger] = [], expires: Timestamp = Timestamp(seconds: 1_790_000_120)
    ) -> ApprovalQuestion {
        ApprovalQuestion(
            binding: ApprovalBinding(
                nonce: [UInt8](repeating: 1, count: 16),
                requestDigest: [UInt8](repeating: 2, count: 32),
                policyHash: [UInt8](repeating: 3, count: 32), keys: [KeyID("key")],
                expires: expires),
            act: .sign, summary: Summary(title: title, lines: [], warnings: []),
            client: Client(id: client, name: nil, proof: .claimed), accounts: [],
            effects: [.publishes], dangers: dangers)
    }
}
