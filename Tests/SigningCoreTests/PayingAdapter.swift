// SPDX-License-Identifier: Apache-2.0

import SigningCore

/// A wire of payments, `pay RECEIVER:AMOUNT[:NOTE],...`, with words that add dangers.
struct PayingAdapter: ProtocolAdapter {
    struct Request: SignRequest {
        var protocolID: ProtocolID { ProtocolID("toy") }
        var method: String
        var client: Client?
        var operations: [RequestedOperation]
        var facts: [Fact] { [] }
        var effects: [Effect] = []
        var dangers: [Danger] { [] }
        var decoding: Decoding
        var replayToken: ReplayToken? { nil }
        var terms: RequestTerms {
            var terms = RequestTerms()
            terms.pace = Pace()
            return terms
        }
        var summary: Summary { Summary(title: "pay", lines: [], warnings: []) }
    }

    static let coin = AmountUnit(symbol: "COIN", decimals: 1, smallest: "bit")

    static func asset(_ name: String) -> Asset {
        Asset(id: "toy/main/\(name)", network: "main", name: name, unit: coin)
    }

    /// The client, if the peer does not name one.
    var client: Client?

    var id: AdapterID { AdapterID("paying") }
    var schema: FactSchema {
        FactSchema(
            protocolID: ProtocolID("toy"), methods: ["pay"],
            fields: [
                FactField("receiver", .text, boundsRefusals: true, note: "Who gets it."),
                FactField("amount", .amount(Self.coin), varies: .upTo, note: "How much."),
                FactField("text", .text, varies: .free, note: "A note."),
            ], dangers: [Danger("forever")], alwaysAsked: [Danger("forever")])
    }
    var domains: [SigningDomain] { [ToyAdapter.domain] }
    var frameBytesMax: Int { 200 }

    func decode(
        _ frame: Span<UInt8>, in context: DecodingContext
    ) throws(AdapterError) -> Request {
        var text = ""
        for index in frame.indices { text.unicodeScalars.append(Unicode.Scalar(frame[index])) }
        let words = text.split(separator: " ").map(String.init)
        var request = Request(
            method: words[0], client: client, operations: [],
            decoding: words.contains("partly") ? .partial : .full)
        request.operations = words[1].split(separator: ",").map { part in
            operation(part.split(separator: ":").map(String.init), words, context.accounts[0])
        }
        return request
    }

    private func operation(
        _ parts: [String], _ words: [String], _ account: Account
    ) -> RequestedOperation {
        let amount = parts.count > 1 ? Int128(parts[1]) : nil
        var facts: [Fact] = []
        if !parts[0].isEmpty { facts.append(Fact("receiver", .text(parts[0]))) }
        if let amount { facts.append(Fact("amount", .integer(amount))) }
        if parts.count > 2 { facts.append(Fact("text", .text(parts[2]))) }
        if words.contains("twice") { facts.append(Fact("receiver", .text("other"))) }
        if words.contains("undeclared") { facts.append(Fact("surprise", .bool(true))) }
        let name = words.contains("token") ? "token" : "coin"
        let isUnbounded = words.contains("unbounded")
        let outflows = isUnbounded ? [] : amount.map { [Outflow(Self.asset(name), $0)] } ?? []
        return RequestedOperation(
            account: account,
            operation: .sign(
                SigningInput(domain: ToyAdapter.domain.id, preimage: Array("toy:x".utf8))),
            facts: facts,
            effects: [.spends] + (words.contains("power") ? [.grantsAuthority] : []),
            dangers: words.contains("forever") ? [Danger("forever")] : [],
            outflows: outflows, undetermined: words.contains("unclear") ? ["receiver"] : [])
    }

    func encode(_ outcome: Outcome, to request: Request) -> Reply {
        switch outcome {
        case .done(let results): .message(Array("done \(results.count)".utf8))
        case .denied(let reason): .message(Array("denied \(reason.code.rawValue)".utf8))
        case .failed(let reason): .message(Array("failed \(reason.code.rawValue)".utf8))
        }
    }

    func refuseOversize(frameBytes: Int) -> AdapterError {
        AdapterError(code: "bad", reason: "too large", reply: .message([]))
    }
}
