// SPDX-License-Identifier: Apache-2.0

import NEARCourier
import SigningCodecs
import Testing

@testable import SigningCLI

@Suite("Arguments of near call")
struct NEARCallTests {
    private func bytes(_ words: String...) throws -> [UInt8] {
        try CommandLineTool.callArguments(
            Arguments(["app.near", "go"] + words, options: CommandLineTool.nearCall.options))
    }

    @Test(
        "JSON goes as it is written",
        arguments: [#"{ "a" : 1 }"#, "[1,2]", "5", "null", "true", #""AAAA""#, #"{"0":5}"#])
    func json(_ text: String) throws { #expect(try bytes(text) == Array(text.utf8)) }

    @Test("nothing is an empty object, and bytes are given in Base64")
    func others() throws {
        #expect(try bytes() == Array("{}".utf8))
        #expect(try bytes("--bytes", "AAH/") == [0, 1, 255])
        #expect(try bytes("--bytes", "AAH_") == [0, 1, 255])
        #expect(try bytes("--bytes", "").isEmpty)
        #expect(try bytes("--hex", "0001fF") == [0, 1, 255])
        #expect(try bytes("--file", "/dev/null").isEmpty)
    }

    @Test("a node of another network is reported as such")
    func otherNetwork() {
        let error = CLIError(RPCError.anotherNetwork("testnet", wanted: "mainnet"))
        #expect(error.message == "the node is on testnet, and mainnet is meant")
        #expect(error.hint == "add --network testnet, or give another --rpc")
        let strange = CLIError(RPCError.anotherNetwork("local\u{1B}net", wanted: "testnet"))
        #expect(strange.message == "the node is on another network, and testnet is meant")
        #expect(strange.hint == "give a node of testnet with --rpc")
    }

    @Test("any other text is refused, with a hint")
    func refusals() throws {
        #expect(throws: CLIError.self) { try bytes("{") }
        #expect(throws: CLIError.self) { try bytes("hello") }
        #expect(throws: CLIError.self) { try bytes("--bytes", "%") }
        #expect(throws: CLIError.self) { try bytes("{}", "--bytes", "AAH/") }
        #expect(throws: CLIError.self) { try bytes("{}", "--file", "/dev/null") }
        #expect(throws: CLIError.self) { try bytes("--hex", "00", "--bytes", "AAH/") }
        #expect(throws: CLIError.self) { try bytes("--hex", "0") }
        #expect(throws: CLIError.self) { try bytes("--file", "/nowhere/args.bin") }
    }
}
