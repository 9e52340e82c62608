// SPDX-License-Identifier: Apache-2.0

import NEARSamples
import SigningCodecs
import SigningCore
import Testing

@testable import NEAR
@testable import NEP413

@Suite("Actions as connectors send them")
struct ConnectorActionTests {
    private static let file = Vectors.file("connector_actions.json")
    private static let valid = file["vectors"]?.list ?? []
    private static let invalid = file["invalid"]?.list ?? []

    @Test("all vectors are there")
    func counts() { #expect(Self.valid.count == 20 && Self.invalid.count == 9) }

    @Test("each becomes the bytes that are signed", arguments: valid)
    func bytes(_ vector: JSON) throws {
        let action = try NEARAction(connector: try #require(vector["connectorAction"]))
        var writer = BorshWriter()
        writer.action(action)
        #expect(hex(writer.bytes) == vector["borshHex"]?.text, "\(vector["id"]?.text ?? "")")
    }

    @Test("an invalid action is refused", arguments: invalid)
    func refused(_ vector: JSON) throws {
        let action = try #require(vector["connectorAction"])
        #expect(throws: NEARRefusal.self) { try NEARAction(connector: action) }
    }

    @Test(
        "more invalid actions",
        arguments: [
            #"{}"#, #"{"type":"Transfer"}"#, #"{"type":"Transfer","params":{}}"#,
            #"{"type":"Transfer","params":{"deposit":"01"}}"#,
            #"{"type":"Transfer","params":{"deposit":"+1"}}"#,
            #"{"type":"Transfer","params":{"deposit":""}}"#,
            #"{"type":"Transfer","params":{"deposit":9007199254740993}}"#,
            #"{"type":"Transfer","params":{"deposit":1.0}}"#,
            #"{"type":"Transfer","params":{"deposit":"1","memo":"x"}}"#,
            #"{"type":"Transfer","params":{"deposit":"1"},"extra":1}"#,
            #"{"type":"CreateAccount","params":{"a":1}}"#,
            #"{"type":"FunctionCall","params":{"methodName":"m","args":[1],"gas":"1"}}"#,
            #"{"type":"FunctionCall","params":{"methodName":"m","args":"%%","gas":"1"}}"#,
            #"{"type":"FunctionCall","params":{"methodName":"m","args":{},"deposit":"0"}}"#,
            #"{"type":"AddKey","params":{"publicKey":"KEY","accessKey":{"permission":"All"}}}"#,
            #"{"type":"AddKey","params":{"publicKey":"KEY","accessKey":{}}}"#,
            #"{"type":"AddKey","params":{"publicKey":"ml-dsa-65:11","accessKey":{}}}"#,
            #"{"type":"DeployContract","params":{"code":{"0":256}}}"#,
            #"{"type":"DeployContract","params":{"code":{"1":0}}}"#,
            #"{"type":"DeployGlobalContract","params":{"code":"AA==","deployMode":"x"}}"#,
            #"{"type":"UseGlobalContract","params":{"contractIdentifier":{}}}"#,
            #"{"type":"SignedDelegate","params":{"a":1}}"#,
            #"{"type":"DeterministicStateInit","params":{"a":1}}"#,
            #"7"#,
        ])
    func more(_ text: String) throws {
        let key = "ed25519:1thX6LZfHDZZKUs92febYZhYRcXddmzfzF2NvTkPNE"
        let bytes = Array(text.replacing("KEY", with: key).utf8)
        let json = try JSON.parse(bytes.span)
        #expect(throws: NEARRefusal.self) { try NEARAction(connector: json) }
    }

    @Test("the error for an action of another type says what to write")
    func otherTypes() throws {
        func words(_ type: String) throws -> NEARRefusal? {
            do {
                _ = try NEARAction(connector: ["type": .string(type), "params": ["a": 1]])
                return nil
            } catch { return error }
        }
        #expect(
            try words("TransferToGasKey")
                == NEARRefusal(
                    .unsupportedAction,
                    "an action of the type TransferToGasKey needs Borsh; send the whole "
                        + "transaction in Borsh"))
        let nope = try words("Nope")
        #expect(nope?.code == .unsupportedAction)
        #expect(nope?.text.hasPrefix("unknown type of action; use one of CreateAccount, ") == true)
    }

    @Test("bytes that went through JSON are the same in every form and order")
    func byteForms() throws {
        for text in [
            #""AAH/""#, "[0,1,255]", #"{"0":0,"1":1,"2":255}"#, #"{"2":255,"0":0,"1":1}"#,
            #"{"type":"Buffer","data":[0,1,255]}"#,
        ] {
            let bytes = Array(text.utf8)
            let read = try ByteForm.read(try JSON.parse(bytes.span), "code", countMax: 3)
            #expect(read == [0, 1, 255])
            #expect(throws: NEARRefusal.tooLarge("code", bytesMax: 2)) {
                try ByteForm.read(try JSON.parse(bytes.span), "code", countMax: 2)
            }
        }
    }

    @Test("a too large call is refused as such, also where only its sum is too large")
    func sizes() throws {
        let signer = try Signer(network: "mainnet")
        func code(_ bytes: Int, _ count: Int = 1) throws -> AdapterError {
            let code = Base64.encode([UInt8](repeating: 0, count: bytes).span)
            let action: JSON = ["type": "DeployContract", "params": ["code": .string(code)]]
            let call: JSON = [
                "method": "signTransaction",
                "params": [
                    "receiverId": "alice.near", "nonce": "1",
                    "blockHash": "244ZQ9cgj3CQ6bWBdytfrJMuMQ1jdXLFGnr4HhvtCTnM",
                    "actions": .array([JSON](repeating: action, count: count)),
                ],
            ]
            return try refusal(call.write(), holding: [signer.account])
        }
        #expect(try code((4 << 20) + 1).code == "payload_too_large")
        #expect(try code(2 << 20, 2).code == "payload_too_large")
        let whole = Base64.encode([UInt8](repeating: 0, count: (4 << 20) + 1).span)
        let call: JSON = [
            "method": "signTransaction", "params": ["transaction": .string(whole)],
        ]
        #expect(
            try refusal(call.write(), holding: [signer.account]).code == "payload_too_large")
    }
}
