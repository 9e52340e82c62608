// SPDX-License-Identifier: Apache-2.0

import SigningCore

/// A wire of one word, which is signed with a number that is looked up and expires.
struct AgingAdapter: LooksUp, Broadcasts {
    struct Reading: Sendable {
        let word: [UInt8]
    }

    /// The part of the frame that changes when it is decoded again.
    enum Twist: CaseIterable, Sendable {
        case none
        case otherWord, longerWord, otherAccount, secondOperation, otherPlaceOfNumber
        case moreDangers, moreDangersOfOperation, moreEffects, otherFact, higherBound
        case opensConnection, otherTitle, partlyDecoded, otherOutflow
        /// Allowed changes: fewer dangers, or a lower bound.
        case fewerDangers, lowerBound
    }

    struct Request: SignRequest {
        var protocolID: ProtocolID { ProtocolID("toy") }
        let method = "sign"
        let client: Client? = nil
        var operations: [RequestedOperation]
        var facts: [Fact]
        var effects: [Effect] = [.publishes]
        var dangers: [Danger] = []
        var outflows: [Outflow] = []
        var decoding = Decoding.full
        let replayToken: ReplayToken? = nil
        var terms = RequestTerms()
        var title = "sign a word"
        var summary: Summary { Summary(title: title, lines: [], warnings: []) }
    }

    var twist = Twist.none

    var id: AdapterID { AdapterID("aging") }
    var domains: [SigningDomain] { [ToyAdapter.domain] }
    var frameBytesMax: Int { 100 }
    var schema: FactSchema {
        FactSchema(
            protocolID: ProtocolID("toy"), methods: ["sign"],
            fields: [
                FactField("word", .text, note: "What is signed."),
                FactField("number", .integer, varies: .free, note: "The number that ages."),
                FactField("bound", .integer, varies: .upTo, note: "For how long."),
            ], dangers: [Danger("loud"), Danger("soon_over")])
    }

    func read(_ frame: Span<UInt8>) throws(AdapterError) -> Reading {
        var word: [UInt8] = []
        for index in frame.indices { word.append(frame[index]) }
        return Reading(word: word)
    }

    func need(
        of reading: Reading, in context: DecodingContext
    ) throws(AdapterError) -> NumberLookup.Need? { .init() }

    func decode(
        _ reading: Reading, with lookup: NumberLookup?, in context: DecodingContext
    ) throws(AdapterError) -> Request {
        let twist = lookup?.isRenewed == true ? twist : .none
        let word = twist == .otherWord ? Array(reading.word.reversed()) : reading.word
        let more: [UInt8] = twist == .longerWord ? [0x21] : []
        let preimage = Array("toy:".utf8) + [lookup?.number ?? 0] + word + more
        let place = twist == .otherPlaceOfNumber ? 5..<6 : 4..<5
        let account = context.accounts[twist == .otherAccount ? 1 : 0]
        let operation = RequestedOperation(
            account: account,
            operation: .sign(
                SigningInput(domain: ToyAdapter.domain.id, preimage: preimage, aging: [place])),
            facts: [
                Fact("word", .text(twist == .otherFact ? "other" : "shown")),
                Fact("number", .integer(Int128(lookup?.number ?? 0))),
                Fact(
                    "bound",
                    .integer(twist == .higherBound ? 11 : twist == .lowerBound ? 9 : 10)),
            ], effects: [],
            dangers: twist == .moreDangersOfOperation ? [Danger("loud")] : [],
            outflows: twist == .otherOutflow ? [Outflow(PayingAdapter.asset("coin"), 1)] : [])
        var request = Request(
            operations: twist == .secondOperation ? [operation, operation] : [operation],
            facts: [])
        request.dangers = twist == .fewerDangers ? [] : [Danger("soon_over")]
        if twist == .moreDangers { request.dangers.append(Danger("loud")) }
        if twist == .moreEffects { request.effects.append(.spends) }
        if twist == .otherTitle { request.title = "sign another word" }
        if twist == .partlyDecoded { request.decoding = .partial }
        if twist == .opensConnection { request.terms.connectionChanges = [.ends(id: [1])] }
        return request
    }

    func refuse(_ failure: NumberLookup.Failure) -> AdapterError {
        AdapterError(code: "away", reason: "away", reply: .message(Array("away".utf8)))
    }

    func encode(_ outcome: Outcome, to request: Request) -> Reply {
        switch outcome {
        case .done:
            .broadcast(
                Broadcast(
                    network: "net",
                    items: [Broadcast.Item(id: "\(request.number)", sender: "a", bytes: [1])]))
        case .denied(let reason): .message(Array("denied \(reason.code.rawValue)".utf8))
        case .failed(let reason): .message(Array("failed \(reason.code.rawValue)".utf8))
        }
    }

    func encode(_ deliveries: [Broadcast.Delivery], to request: Request) -> Reply {
        .message(Array("sent \(request.number)".utf8))
    }

    func refuseOversize(frameBytes: Int) -> AdapterError { refuse(.away) }
}

extension AgingAdapter.Request {
    fileprivate var number: String {
        guard case .integer(let number) = operations[0].facts[1].value else { return "" }
        return String(number)
    }
}

/// The next number of the series, as a lookup result.
struct NumberLookup: LookedUp {
    struct Need: Sendable {}
    enum Failure: Error { case away }

    let number: UInt8
    let isRenewed: Bool

    var digested: [UInt8]? { [1] }
    var lane: String? { "numbers" }
}
