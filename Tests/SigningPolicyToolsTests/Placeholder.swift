// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import SigningPolicyTools

@Suite("Tools")
struct ToolTests {
    @Test("are there") func there() {}
}
