// SPDX-License-Identifier: Apache-2.0

import NostrSamples
import SigningCodecs
import SigningCore
import Testing

@testable import Nostr

@Suite("Private zaps")
struct ZapTests {
    private static let receiver = "9571a568a42b9e05646a349c783159b906b498119390df9a5a02667155128028"

    private func vector(_ name: String) throws -> (request: String, inner: String?) {
        let row = try #require(try Vectors.json("nip57.private-zap.json")[name])
        let request = try #require(row["zap_request"]).write()
        return (String(decoding: request, as: UTF8.self), row["inner_json"]?.text)
    }

    private func signed(_ template: String) throws -> String {
        try #require(try NostrCall().signed(template))
    }

    @Test("The judged operation names no one-time key, and is flagged as a decryption")
    func facts() throws {
        let use = try NostrCall(secret: Self.receiver)
            .use(.decryptZapEvent, vector("event_zap").request)
        #expect(use.operation.dangers == [.decrypt])
        #expect(use.operation.effects == [.decrypts])
        #expect(use.operation.facts == [Fact("scheme", .text("private_zap"))])
        #expect(use.shown.lines.contains { $0.label == "for" && $0.text.hasPrefix("event ") })
    }

    @Test("An inside that is not signed, not of its kind or not about this zap is not handed out")
    func innerChecks() throws {
        let (request, inner) = try vector("profile_zap")
        let zap = try Zap(request, limits: NostrLimits(), verify: { holds($0) })
        let good = try #require(inner)
        let other = try #require(try vector("event_zap").inner)
        let note = try signed(#"{"kind":1,"content":"x","created_at":5,"tags":[]}"#)
        let insides = [
            good.replacing("Private", with: "private"), other, note, "", "{}", "[]",
            good + " x", good.replacing("9733", with: "9734"),
        ]
        for inside in insides {
            #expect(zap.inner(Array(inside.utf8), verify: { holds($0) }) == nil, "\(inside)")
        }
        #expect(zap.inner(Array(good.utf8), verify: { holds($0) }) == good)
    }

    @Test("An invalid private zap is refused before any key is used")
    func malformed() throws {
        let text = try vector("profile_zap").request
        let tags = #","created_at":5,"content":"","tags":[["p","\#(NostrKeys.bobHex)"]"#
        let refused = try [
            "{}", "x", text.replacing("1708466564", with: "1708466565"),
            text.replacing("pzap1", with: "pzap2"),
            signed(#"{"kind":9734\#(tags)]}"#),
            signed(#"{"kind":9734\#(tags),["anon"]]}"#),
            signed(#"{"kind":9734\#(tags),["anon",""]]}"#),
            signed(#"{"kind":9734\#(tags),["anon","pzap1_iv1"]]}"#),
            signed(#"{"kind":9734\#(tags),["anon","x"],["anon","x"]]}"#),
            signed(#"{"kind":1\#(tags),["anon","x"]]}"#),
            signed(#"{"kind":9735\#(tags)]}"#),
            signed(#"{"kind":9735\#(tags),["description","{}"]]}"#),
            signed(#"{"kind":9734,"created_at":5,"content":"","tags":[["anon","x"]]}"#),
        ]
        for event in refused {
            #expect(throws: NostrRefusal.self, "\(event)") {
                try Zap(event, limits: NostrLimits(), verify: { holds($0) })
            }
        }
    }
}
