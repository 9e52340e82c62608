// SPDX-License-Identifier: Apache-2.0

import ARC27
import ARC27Rig
import AlgorandSamples
import SigningCodecs
import SigningCore
import Testing

@testable import Algorand

@Suite("Frames of the negotiation that Pera drafts") struct NegotiationTests {
    private static let rows = Vectors.list("arc27_messages.json", "negotiation_frames_pera_draft")

    @Test("all of them are there")
    func count() { #expect(Self.rows.count == 4) }

    /// These frames are from before ARC-27, and the provider does not support them.
    ///
    /// It stays silent to a frame that does not address it.
    @Test("an offer gets no answer, as JSON and as CBOR", arguments: rows)
    func ignored(_ row: JSON) throws {
        let text = try #require(row["in"]?.text)
        let json = try JSON.parse(Array(text.utf8).span)
        let frames = [
            text, String(decoding: json.write(), as: UTF8.self),
            Base64.encode(CBOR(json).encode().span, alphabet: .url, padding: false),
        ]
        for frame in frames {
            let error = try #require(throws: AdapterError.self) {
                try TestProvider().decode(frame)
            }
            guard case .silence(let reason) = error.reply else {
                Issue.record("answered")
                return
            }
            #expect(!reason.isEmpty)
        }
    }
}
