// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningService
import Testing

@Suite("Values in the scope of a remembered yes")
struct GrantQuoteTests {
    @Test("cannot end their own quotation marks")
    func quotes() {
        let schema = FactSchema(
            protocolID: ProtocolID("near"), methods: ["sign_message"],
            fields: [FactField("recipient", .text, note: "")], dangers: [])
        let text = GrantText(schemas: [schema]).shown(
            Fact("recipient", .text("app\" or \"any\u{202E}thing")), in: ProtocolID("near"))
        #expect(text.hasPrefix("\"app\\\" or \\\"any"))
        #expect(!text.contains("\u{202E}"))
    }
}
