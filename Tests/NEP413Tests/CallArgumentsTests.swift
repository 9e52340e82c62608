// SPDX-License-Identifier: Apache-2.0

import NEARSamples
import SigningCodecs
import Testing

@testable import NEAR
@testable import NEP413

@Suite("Arguments of calls")
struct CallArgumentsTests {
    private static let file = Vectors.file("call_arguments.json")
    private static let pages = file["pages"]?.list ?? []
    private static let frames = file["frames"]?.list ?? []
    private static let refused = file["refusedFrames"]?.list ?? []

    private func bytes(_ args: JSON?) throws -> String {
        var params: [JSONObject.Member] = [
            .init(name: "methodName", value: "m"), .init(name: "gas", value: "1"),
            .init(name: "deposit", value: "0"),
        ]
        if let args { params.append(.init(name: "args", value: args)) }
        let action = try NEARAction(
            connector: ["type": "FunctionCall", "params": .object(JSONObject(params))])
        guard case .functionCall(let call) = action else { throw NEARRefusal.invalid("no call") }
        return hex(call.args)
    }

    @Test("all vectors are there")
    func counts() {
        #expect(Self.pages.count == 23 && Self.frames.count == 13 && Self.refused.count == 1)
    }

    @Test("a frame of a file or the bridge", arguments: frames)
    func frame(_ vector: JSON) throws {
        #expect(try bytes(vector["args"]) == vector["hex"]?.text, "\(vector["id"]?.text ?? "")")
    }

    @Test("pages write bytes and JSON in one form, which is exact", arguments: pages)
    func page(_ vector: JSON) throws {
        let text = try #require(vector["hex"]?.text)
        let written = try Hex.decode(text)
        #expect(try bytes(.string(Base64.encode(written.span))) == text)
    }

    @Test("missing arguments are empty bytes")
    func missing() throws { #expect(try bytes(nil).isEmpty) }

    @Test("a text that is not Base64 is refused", arguments: refused)
    func refusal(_ vector: JSON) throws {
        #expect(throws: NEARRefusal.self) { try bytes(vector["args"]) }
    }
}
