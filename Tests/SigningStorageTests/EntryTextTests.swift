// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningFiles
import TestHome
import Testing

@testable import SigningStorage

@Suite("The text of an entry")
struct EntryTextTests {
    private static let reason = Reason(.keyUnavailable, "locked \"\u{1}\"", rule: nil)
    private static let settlements: [Settlement] = [
        .done(resultDigests: []),
        .done(
            resultDigests: [[1, 2], [255]],
            remembers: [SealedGrant(GrantTests.grant(), seal: [7])],
            connections: [.ends(id: [3]), .forgets(SessionTests.app, ProtocolID("near"))],
            broadcast: Broadcast(
                network: "testnet", items: [.init(id: "one", sender: "a", bytes: [])])),
        .notUsed(reason), .failed(reason),
    ]

    @Test("is JSON without white space whose names are in order, with any content")
    func form() throws {
        let windows: [LimitWindow] = [
            .sliding(seconds: 60), .since(Timestamp(seconds: -1)), .ever,
        ]
        let claims = windows.map { LimitClaim(counter: "a", window: $0, maximum: 9, amount: 1) }
        let long = String(repeating: "\u{E9}", count: AuditRecord.clientTextMax + 1)
        let intents = [
            makeIntent(),
            makeIntent(
                claims: claims, token: ReplayToken([1], isSingleUse: true), method: long,
                grants: [GrantTests.grant()],
                serials: [SerialUse(series: "s", number: .max)]),
        ]
        let records =
            intents.map { AuditRecord($0) }
            + Self.settlements.map { AuditRecord($0, of: [5], at: Timestamp(seconds: 8)) }
            + [AuditRecord(makeRefusal(remembers: [GrantTests.grant()]))]
        for record in records {
            let body = record.body(at: Timestamp(seconds: 9))
            let json = try JSON.parse(body.span)
            #expect(json["kind"]?.text == record.kind.rawValue)
            #expect(json["time"]?.integerValue == 9)
            #expect(json["clock"]?.integerValue == record.clock.seconds)
            #expect(Self.ordered(json).write() == body)
        }
        let text = try JSON.parse(AuditRecord(intents[1]).body(at: Timestamp(seconds: 9)).span)
        #expect(text["method"]?.text?.unicodeScalars.count == AuditRecord.clientTextMax)
        #expect(text["claims"]?.list?.count == 3 && text["serials"]?.list?.count == 1)
    }

    /// An equal value in which every object's members are sorted by the bytes of their names.
    private static func ordered(_ json: JSON) -> JSON {
        switch json {
        case .array(let elements): .array(elements.map(ordered))
        case .object(let object):
            .sorted(
                Dictionary(
                    uniqueKeysWithValues: object.members.map { ($0.name, ordered($0.value)) }))
        default: json
        }
    }
}
