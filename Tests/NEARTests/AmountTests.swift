// SPDX-License-Identifier: Apache-2.0

import NEAR
import Testing

@Suite("Amounts of NEAR as people write them")
struct AmountTests {
    @Test("amounts are exact both ways")
    func amounts() {
        for (text, yocto) in [
            ("1.5", "1500000000000000000000000"), ("0", "0"),
            ("0.000000000000000000000001", "1"),
            ("340282366920938.463463374607431768211455", String(UInt128.max)),
        ] {
            #expect(NEARAmount.toYoctoNEAR(text).map { String($0) } == yocto)
            #expect(UInt128(yocto).map { NEARAmount.formatNEAR($0) } == text)
        }
        for text in ["", ".", "1.", ".5", "-1", "1e3", "1,5", "0x1", "1.0000000000000000000000001"]
        {
            #expect(NEARAmount.toYoctoNEAR(text) == nil)
        }
    }
}
