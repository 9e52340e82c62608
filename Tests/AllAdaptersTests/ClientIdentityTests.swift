// SPDX-License-Identifier: Apache-2.0

import AllAdapters
import SigningCodecs
import SigningCore
import SigningTesting
import Testing

/// Another spelling of a site must not avoid a rule, a remembered no or a budget.
@Suite("A site is one client however it is written")
struct ClientIdentityTests {
    private static let written = [
        "https://app.example", "HTTPS://App.Example/", "https://app.example.",
        "https://app.example:443", "https://app.example:0443/login?x=1",
    ]

    @Test("on every wire", arguments: Samples.names, written)
    func claimed(name: String, written: String) throws {
        let adapter = try #require(Samples.adapters.adapter(named: name))
        #expect(try client(of: adapter, name, written) == "https://app.example")
    }

    private func client<Adapter: ProtocolAdapter>(
        of adapter: Adapter, _ name: String, _ written: String
    ) throws -> String? {
        var frame = Samples.frame(name)
        if name == "nip155" {
            // The callback identifies the client of NIP-155.
            let callback = "x-success=\(PercentEncoding.encode(written))"
            let text = String(decoding: frame, as: UTF8.self)
            frame = Array(text.replacing("x-success=myapp://ok", with: callback).utf8)
        }
        let context = DecodingContext(
            accounts: [try Samples.account(name)],
            peer: Peer(channel: "test", claim: written), client: .claiming(written),
            now: Timestamp(seconds: 1_790_000_000), freshID: [UInt8](repeating: 7, count: 16),
            wasSeen: { _ in nil })
        return try adapter.decode(frame.span, in: context).client?.id
    }
}
