// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import Testing

@testable import NEAR
@testable import NEP413

@Suite("Too large requests")
struct SizeTests {
    private func code(_ frame: JSON) throws -> String? {
        let signer = try Signer(network: "mainnet")
        do throws(AdapterError) {
            _ = try decode(frame.write(), holding: [signer.account])
            return nil
        } catch { return error.code }
    }

    @Test("a request over its limit is payload_too_large, in every form")
    func tooLarge() throws {
        let large = [UInt8](repeating: 0, count: (4 << 20) + 1)
        let text = JSON.string(Base64.encode(large.span))
        #expect(
            try code(["method": "signTransaction", "params": ["transaction": text]])
                == "payload_too_large")
        let deploying: JSON = [
            "method": "signTransaction",
            "params": [
                "receiverId": "alice.near",
                "actions": [["type": "DeployContract", "params": ["code": text]]],
            ],
        ]
        #expect(try code(deploying) == "payload_too_large")
        let values = JSON.array([JSON](repeating: 0, count: 300_001))
        #expect(
            try code(["method": "signTransaction", "params": ["transaction": values]])
                == "payload_too_large")
        #expect(
            try code(["method": "signTransaction", "params": ["transaction": "%"]])
                == "invalid_request")
    }
}
