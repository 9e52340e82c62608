// SPDX-License-Identifier: Apache-2.0

import NostrSamples
import SigningCodecs
import Testing

@testable import Nostr

@Suite("Kinds of events")
struct EventKindTests {
    @Test("Every name in the kind table is the one of the NIPs")
    func kindNames() throws {
        let published = Dictionary(
            try Vectors.rows("event-kinds.json", "kinds").compactMap { row in
                row["kind"]?.integerValue.map { ($0, row["name"]?.text) }
            }, uniquingKeysWith: { first, _ in first })
        #expect(published.count == EventKind.names.count)
        for (number, name) in EventKind.names {
            #expect(published[Int64(number)] == name, "kind \(number)")
        }
    }
}
