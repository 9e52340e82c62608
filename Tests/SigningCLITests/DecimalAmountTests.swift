// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SigningCLI

@Suite("Amounts as people write them")
struct DecimalAmountTests {
    @Test(
        "NEAR is exact to the last digit",
        arguments: [
            ("1.5", "1500000000000000000000000"), ("0", "0"),
            ("0.000000000000000000000001", "1"),
            ("340282366920938.463463374607431768211455", String(UInt128.max)),
            ("2 NEAR", "2000000000000000000000000"), ("3 yoctoNEAR", "3"),
        ])
    func amounts(_ text: String, _ yocto: String) throws {
        #expect(String(try NEARText.amount(text)) == yocto)
    }

    @Test(
        "anything else is refused",
        arguments: [
            "", ".", "1.", ".5", "-1", "1e3", "1,5", "0x1", "1.0000000000000000000000001", "1 USD",
            "1.5 yoctoNEAR", "1 NEAR 2", "\u{0663}", "340282366920938.463463374607431768211456",
            "9999999999999999999999999999999999999999",
        ])
    func refusals(_ text: String) {
        #expect(throws: CLIError.self) { try NEARText.amount(text) }
    }

    @Test("gas has units and a bound")
    func gas() throws {
        #expect(try NEARText.gas("30") == "30000000000000")
        #expect(try NEARText.gas("2.5 Tgas") == "2500000000000")
        #expect(try NEARText.gas("300000000000000 gas") == "300000000000000")
        #expect(try NEARText.gas("1000") == "1000000000000000")
        for text in ["1001", "1.5 gas", "-1", "30 NEAR", "1000000000000001 gas", ""] {
            #expect(throws: CLIError.self) { try NEARText.gas(text) }
        }
    }

    private func units(_ text: String, _ words: String...) throws -> UInt128 {
        try DecimalAmount.units(
            ofToken: text, Arguments(words, options: [DecimalAmount.option]), decimalsMax: 19,
            unitsMax: UInt128(UInt64.max))
    }

    @Test("tokens are counted in the smallest unit unless their decimals are stated")
    func tokens() throws {
        #expect(try units("12500000") == 12_500_000)
        #expect(try units("12.5", "--decimals", "6") == 12_500_000)
        #expect(try units("18446744073709551615") == UInt128(UInt64.max))
    }

    @Test(
        "no amount, a finer one, nothing and too much are refused",
        arguments: [
            ["12.5"], ["0"], ["0.0", "--decimals", "6"], ["1.0000001", "--decimals", "6"], ["-1"],
            ["18446744073709551616"], ["1", "--decimals", "20"], ["1", "--decimals", "x"],
            ["2", "--decimals", "19"],
        ])
    func tokenRefusals(_ words: [String]) {
        #expect(throws: CLIError.self) {
            try DecimalAmount.units(
                ofToken: words[0],
                Arguments(words.dropFirst(), options: [DecimalAmount.option]), decimalsMax: 19,
                unitsMax: UInt128(UInt64.max))
        }
    }
}
