// SPDX-License-Identifier: Apache-2.0

import NEAR
import Testing

@Suite("Amounts of NEAR as people read them")
struct AmountTests {
    @Test(
        "amounts are exact",
        arguments: [
            ("1.5", "1500000000000000000000000"), ("0", "0"),
            ("0.000000000000000000000001", "1"),
            ("340282366920938.463463374607431768211455", String(UInt128.max)),
        ])
    func amounts(_ text: String, _ yocto: String) {
        #expect(UInt128(yocto).map { NEARAmount.formatNEAR($0) } == text)
    }
}
