// SPDX-License-Identifier: Apache-2.0

import SigningCore

/// The toy wire with optional features: names for requests, wishes, notes, and a pace.
///
/// A frame is `METHOD TEXT` as in the toy wire, followed by `#NAME` if the request has a name.
struct EagerAdapter: GrantsWishes, Broadcasts {
    struct Request: SignRequest {
        let toy: ToyAdapter.Request
        let terms: RequestTerms

        var protocolID: ProtocolID { toy.protocolID }
        var method: String { toy.method }
        var client: Client? { nil }
        var operations: [RequestedOperation] { toy.operations }
        var facts: [Fact] { [] }
        var effects: [Effect] { [] }
        var dangers: [Danger] { [] }
        var decoding: Decoding { .full }
        var replayToken: ReplayToken? { nil }
        var summary: Summary { toy.summary }
    }

    var wishes: [Wish] = []
    var notes: [Note] = []
    var pace: Pace?
    var burst: String?
    var expires: Timestamp?
    var isOneTime = false
    /// True if the signed result goes to a network.
    var isBroadcast = false

    var id: AdapterID { AdapterID("eager") }
    var domains: [SigningDomain] { ToyAdapter().domains }
    var frameBytesMax: Int { 100 }
    var schema: FactSchema {
        FactSchema(
            protocolID: ProtocolID("toy"), methods: ["sign", "batch"],
            fields: [
                FactField("word", .text, boundsRefusals: true, note: "What is signed."),
                FactField("length", .integer, boundsWishes: true, note: "How long it is."),
            ], dangers: [Danger("loud")])
    }

    func decode(
        _ frame: Span<UInt8>, in context: DecodingContext
    ) throws(AdapterError) -> Request {
        var bytes: [UInt8] = []
        for index in frame.indices { bytes.append(frame[index]) }
        let parts = bytes.split(separator: UInt8(ascii: "#"), maxSplits: 1).map(Array.init)
        let plain = parts[0]
        var toy = try ToyAdapter().decode(plain.span, in: context)
        toy.operations = toy.operations.map { requested in
            guard case .text(let word)? = requested.facts.first?.value else { return requested }
            return RequestedOperation(
                account: requested.account, operation: requested.operation,
                facts: requested.facts + [Fact("length", .integer(Int128(word.utf8.count)))],
                effects: [], dangers: requested.dangers)
        }
        var terms = RequestTerms()
        terms.correlator = parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : nil
        terms.wishes = wishes
        terms.notes = notes
        terms.isOneTime = isOneTime
        terms.pace = pace
        terms.burst = burst
        terms.expires = expires
        return Request(toy: toy, terms: terms)
    }

    func encode(_ outcome: Outcome, to request: Request) -> Reply {
        if isBroadcast, case .done = outcome {
            let item = Broadcast.Item(id: "one", sender: "a", bytes: [1])
            return .broadcast(Broadcast(network: "net", items: [item]))
        }
        return ToyAdapter().encode(outcome, to: request.toy)
    }

    func encode(_ outcome: Outcome, to request: Request, granted: [Int]) -> Reply {
        .message(Array("granted \(granted)".utf8))
    }

    func encode(_ deliveries: [Broadcast.Delivery], to _: Request) -> Reply {
        .message(Array("sent \(deliveries.count)".utf8))
    }

    func refuseOversize(frameBytes: Int) -> AdapterError {
        ToyAdapter().refuseOversize(frameBytes: frameBytes)
    }
}

extension Wish {
    /// A wish to sign texts of one length.
    static func sign(length: Int, isGrantable: Bool = true, dangers: [Danger] = []) -> Wish {
        Wish(
            method: "sign", facts: [Fact("length", .integer(Int128(length)))], effects: [],
            dangers: dangers, title: "sign \(length)", isGrantable: isGrantable)
    }
}
