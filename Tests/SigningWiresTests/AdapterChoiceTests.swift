// SPDX-License-Identifier: Apache-2.0

import NEP413
import NIP155
import NIP55
import SigningCore
import SigningWires
import Testing

@Suite("The choice of a wire")
struct AdapterChoiceTests {
    private let set = AdapterSet([NIP155Adapter(), NIP55Adapter(), NEP413Adapter()])

    @Test(
        "a frame goes to the wire that its scheme or its members name, and to no other",
        arguments: [
            ("nostrsigner://sign_event?x-success=a://b", "nip155"),
            ("nostrsigner:%7B%7D?type=sign_event", "nip55"),
            (#"{"message":"a","recipient":"b"}"#, "nep413"),
            ("https://a.example", "unknownScheme(\"https\")"), ("{}", "ambiguous"),
            ("text", "ambiguous"),
        ])
    func choosing(frame: String, expected: String) {
        var found = ""
        let bytes = Array(frame.utf8)
        do throws(ChoosingError) {
            found = try set.choose(named: nil, for: bytes.span).id.name
        } catch {
            found = "\(error)"
        }
        #expect(found == expected)
    }

    @Test("a name chooses the wire, and an unknown name none")
    func named() throws {
        let bytes = Array("{}".utf8)
        #expect(try set.choose(named: "nep413", for: bytes.span).id.name == "nep413")
        #expect(throws: ChoosingError.unknownAdapter("arc27")) {
            try set.choose(named: "arc27", for: bytes.span)
        }
    }

    @Test("wires of one chain share its schema, and a shared scheme is listed once")
    func shared() {
        #expect(set.schemas.map(\.protocolID.name) == ["nostr", "near"])
        #expect(set.schemes.filter { $0 == "nostrsigner" }.count == 1)
        #expect(set.names == ["nip155", "nip55", "nep413"])
    }
}
