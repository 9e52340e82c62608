// SPDX-License-Identifier: Apache-2.0

import NEARSamples
import SigningCodecs
import SigningCore
import SigningDigests
import Testing

@testable import NEAR
@testable import NEP413

@Suite("Signed payloads of NEAR Intents")
struct IntentsPayloadTests {
    private static let file = Vectors.file("intents_payloads.json")
    private static let vectors = file["vectors"]?.list ?? []
    private static let refused = file["refused"]?.list ?? []
    private static let fails = file["fails"]?.list ?? []

    private func read(_ vector: JSON) throws -> SignedStatement {
        try adapter.readSigned(try #require(vector["signed"]).write().span)
    }

    @Test("all vectors are there")
    func counts() {
        #expect(Self.vectors.count == 7 && Self.refused.count == 9 && Self.fails.count == 5)
    }

    @Test("each holds, and says for whom it speaks", arguments: vectors)
    func holds(_ vector: JSON) throws {
        let statement = try read(vector)
        #expect(verify(statement) == "as given")
        #expect(statement.authors.map(\.account) == [vector["account"]?.text])
        #expect(statement.authors.map(\.key.rawValue) == [vector["key"]?.text])
        let payload = vector["signed"]?["payload"]
        let text = payload?.text ?? payload?["message"]?.text ?? ""
        #expect(statement.summary.lines.contains { $0.text == text }, "what is signed is shown")
    }

    @Test("a signature of another form is invalid", arguments: fails)
    func forged(_ vector: JSON) throws { #expect(try verify(read(vector)) == nil) }

    @Test("unverified parts are named", arguments: refused)
    func refusal(_ vector: JSON) throws {
        let why = try #require(vector["why"]?.text)
        do {
            _ = try read(vector)
            Issue.record("read")
        } catch let error as StatementError {
            #expect(error.reason.contains(why), "\(error.reason)")
        }
    }
}
