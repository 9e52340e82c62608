// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningTesting
import Testing

@Suite("NEP-413 keeps the rules of all adapters")
struct NEP413ConformanceTests {
    private func context() throws -> DecodingContext {
        DecodingContext(
            accounts: [try Signer().account],
            peer: Peer(channel: "test"),
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

    @Test("nor for calls that sign transactions")
    func calls() async throws {
        let text = #"""
            {"method":"signTransaction","params":{"network":"testnet","receiverId":"bob.testnet",
            "nonce":"7","blockHash":"244ZQ9cgj3CQ6bWBdytfrJMuMQ1jdXLFGnr4HhvtCTnM","actions":[
            {"type":"Transfer","params":{"deposit":"1"}}]}}
            """#
        let findings = await AdapterConformance.findings(
            adapter, frames: [Array(text.utf8)],
            results: [
                .signature(
                    [UInt8](repeating: 1, count: 64), message: [UInt8](repeating: 2, count: 32))
            ], in: try context())
        #expect(findings == [])
    }
}
