// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningTesting
import Testing

@Suite("NEP-413 keeps the rules of all adapters")
struct NEP413ConformanceTests {
    private func context() throws -> DecodingContext {
        DecodingContext(
            accounts: [try Signer().account],
            origin: Origin(channel: "test", provedUserID: nil, claimedClient: nil),
            now: Timestamp(seconds: 1_800_000_000), freshID: [], wasSeen: { _ in false })
    }

    @Test("the conformance suite finds nothing")
    func conformance() async throws {
        let context = try context()
        let frames = Vectors.messages.map(\.frame)
        #expect(frames.count == 21)
        let findings = await AdapterConformance.findings(
            adapter, frames: frames,
            results: [.signature([UInt8](repeating: 1, count: 64), message: [])], in: context)
        #expect(findings == [])
    }
}
