// SPDX-License-Identifier: Apache-2.0

import Algorand
import Testing

@testable import SigningCLI

@Suite("What people write in commands about Algorand")
struct AlgorandTextTests {
    private static let address = "GD64YIY3TWGDMCNPP553DZPPR6LDUSFQOIJVFDPPXWEG3FVOJCCDBBHU5A"

    @Test(
        "amounts of ALGO are exact",
        arguments: [
            ("1.5", 1_500_000), ("0", 0), ("0.000001", 1), ("3 microAlgo", 3),
            ("2 ALGO", 2_000_000),
            ("18446744073709.551615", UInt64.max),
        ])
    func amounts(_ text: String, _ units: UInt64) throws {
        #expect(try AlgorandText.amount(text) == units)
    }

    @Test(
        "other amounts are refused",
        arguments: ["", "1.0000001", "-1", "1 NEAR", "1.5 microAlgo", "18446744073709.551616"])
    func otherAmounts(_ text: String) {
        #expect(throws: CLIError.self) { try AlgorandText.amount(text) }
    }

    @Test("ids are numbers above zero")
    func ids() throws {
        #expect(try AlgorandText.id("31566704", "ASSET") == 31_566_704)
        for text in ["0", "-1", "", "1.0", "USDC", "18446744073709551616"] {
            #expect(throws: CLIError.self) { try AlgorandText.id(text, "ASSET") }
        }
    }

    @Test(
        "arguments of applications have a form",
        arguments: [
            ("text:a:b", Array("a:b".utf8)), ("str:", []), ("int:258", [0, 0, 0, 0, 0, 0, 1, 2]),
            ("int:18446744073709551615", [UInt8](repeating: 255, count: 8)),
            ("base64:AAE=", [0, 1]), ("b64:AAE", [0, 1]), ("hex:00Ff", [0, 255]),
        ])
    func arguments(_ text: String, _ bytes: [UInt8]) throws {
        #expect(try AppArgument.bytes(text, "--arg") == bytes)
        #expect(try AppArgument.bytes("addr:\(Self.address)", "--arg").count == 32)
    }

    @Test(
        "other arguments are refused",
        arguments: [
            "", "hello", "int:", "int:-1", "int:18446744073709551616", "hex:0", "base64:%",
            "address:GD64", "TEXT:a", "bool:true",
        ])
    func otherArguments(_ text: String) {
        #expect(throws: CLIError.self) { try AppArgument.bytes(text, "--arg") }
    }

    @Test("payment URIs of ARC-26")
    func uris() throws {
        let plain = try PaymentURI("algorand://\(Self.address)")
        #expect(AlgorandAddress.text(publicKey: plain.receiver.span) == Self.address)
        #expect(plain.amount == nil && plain.asset == nil && plain.note == nil)
        let whole = try PaymentURI(
            "ALGORAND://\(Self.address)?label=Silvio&amount=150500000&asset=45&xnote=a%20%C3%A9+")
        #expect(whole.amount == 150_500_000 && whole.asset == 45 && whole.note == "a \u{E9}+")
        #expect(try PaymentURI("algorand://\(Self.address)?amount=0&note=hi").note == "hi")
    }

    @Test(
        "a URI that may mean something else is refused",
        arguments: [
            "algorand:\(address)", "algorand://", "algorand://?asset=45&amount=0",
            "algorand://\(address.lowercased())", "algorand://\(address)#x",
            "algorand://\(address)?amount=", "algorand://\(address)?amount=1.5",
            "algorand://\(address)?amount=-1", "algorand://\(address)?amount",
            "algorand://\(address)?amount=18446744073709551616",
            "algorand://\(address)?amount=1&amount=1", "algorand://\(address)?Amount=1",
            "algorand://\(address)?type=keyreg", "algorand://\(address)?asset=0",
            "algorand://\(address)?note=%FF", "algorand://\(address)?note=%0",
            "algorand://\(address)?note=a&xnote=a", "algorand://\(address)/?amount=1",
        ])
    func otherURIs(_ text: String) {
        #expect(PaymentURI.isLikely(text))
        #expect(throws: CLIError.self) { try PaymentURI(text) }
    }
}
