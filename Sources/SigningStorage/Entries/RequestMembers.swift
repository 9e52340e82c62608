// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore

/// A client as entries state it.
struct ClientEntry: Hashable, Sendable {
    var id: String
    var name: String?
    var proof: Client.Proof
    /// The callback of a client that is not known by it.
    var callback: String?

    init(_ client: Client) {
        id = Entry.clipped(client.id)
        name = client.name.map { Entry.clipped($0) }
        proof = client.proof
        callback = proof == .callback ? nil : client.callback.map { Entry.clipped($0) }
    }

    /// The client as rules see it.
    var client: Client {
        Client(
            id: id, name: name, proof: proof,
            callback: callback ?? (proof == .callback ? id : nil))
    }

    init(_ reader: inout EntryReader) throws(EntryError) {
        callback = reader.isNext("callback") ? try reader.text("callback") : nil
        id = try reader.text("id")
        name = try reader.textOrNull("name")
        proof = try reader.word("proof")
    }

    func write(to writer: inout EntryWriter) {
        if let callback { writer.text("callback", callback) }
        writer.text("id", id)
        writer.textOrNull("name", name)
        writer.text("proof", proof.rawValue)
    }
}

extension EntryWriter {
    mutating func client(_ client: ClientEntry?) {
        guard let client else { return null("client") }
        object("client") { writer in client.write(to: &writer) }
    }

    mutating func dangers(_ dangers: [Danger]?) {
        if let dangers { texts("dangers", dangers.lazy.map(\.name)) }
    }

    mutating func effects(_ effects: [Effect]?) {
        if let effects { texts("effects", effects.lazy.map(\.rawValue)) }
    }

    mutating func keys(_ keys: [KeyID]?) {
        if let keys { texts("keys", keys.lazy.map(\.text)) }
    }

    mutating func facts(_ facts: [[Fact]]?) {
        guard let facts else { return }
        list("facts", facts) { writer, facts in
            writer.put(facts) { writer, fact in writer.put(fact) }
        }
    }

    private mutating func put(_ fact: Fact) {
        punctuate("[")
        put(fact.name)
        punctuate(",")
        put(fact.value)
        punctuate("]")
    }

    private mutating func put(_ value: FactValue) {
        switch value {
        case .bool(let flag): put(flag)
        case .text(let text): put(text)
        case .integer(let number): put(String(number), as: "integer")
        case .bytes(let bytes): put(Hex.encode(bytes.span), as: "bytes")
        case .time(let time): put(String(time.seconds), as: "time")
        case .list(let values):
            punctuate("[")
            put("list")
            for value in values {
                punctuate(",")
                put(value)
            }
            punctuate("]")
        }
    }

    private mutating func put(_ text: String, as type: String) {
        punctuate("[")
        put(type)
        punctuate(",")
        put(text)
        punctuate("]")
    }

    mutating func put(_ claim: LimitClaim) {
        put { writer in
            writer.text("amount", String(claim.amount))
            writer.text("counter", claim.counter)
            writer.text("maximum", String(claim.maximum))
            switch claim.window {
            case .sliding(let seconds): writer.integer("window", seconds)
            case .since(let start):
                writer.integer("since", start.seconds)
                writer.null("window")
            case .ever: writer.null("window")
            }
        }
    }

    mutating func put(_ serial: SerialUse) {
        put { writer in
            writer.text("number", String(serial.number))
            writer.text("series", serial.series)
        }
    }
}

extension EntryReader {
    mutating func client() throws(EntryError) -> ClientEntry? {
        if try null("client") { return nil }
        return try object("client") { reader throws(EntryError) in try ClientEntry(&reader) }
    }

    mutating func dangers() throws(EntryError) -> [Danger]? {
        guard isNext("dangers") else { return nil }
        return try list("dangers") { reader throws(EntryError) in Danger(try reader.text()) }
    }

    mutating func decoding() throws(EntryError) -> Decoding? {
        isNext("decoded") ? try word("decoded") : nil
    }

    mutating func effects() throws(EntryError) -> [Effect]? {
        guard isNext("effects") else { return nil }
        return try list("effects") { reader throws(EntryError) in try reader.word() }
    }

    mutating func keys() throws(EntryError) -> [KeyID]? {
        guard isNext("keys") else { return nil }
        return try list("keys") { reader throws(EntryError) in KeyID(try reader.text()) }
    }

    mutating func facts() throws(EntryError) -> [[Fact]]? {
        guard isNext("facts") else { return nil }
        return try list("facts") { reader throws(EntryError) in
            try reader.list { reader throws(EntryError) in try reader.fact() }
        }
    }

    private mutating func fact() throws(EntryError) -> Fact {
        try take("[")
        let name = try text()
        try take(",")
        let value = try factValue(depth: 0)
        try take("]")
        return Fact(name, value)
    }

    private mutating func factValue(depth: Int) throws(EntryError) -> FactValue {
        if isNext("\"" as Unicode.Scalar) { return .text(try text()) }
        guard isNext("[" as Unicode.Scalar) else { return .bool(try flag()) }
        guard depth < Self.depthMax else { throw expected("a value less deep") }
        try take("[")
        let value: FactValue
        switch try text() {
        case "integer":
            try take(",")
            value = .integer(try number())
        case "bytes":
            try take(",")
            value = .bytes(try hex())
        case "time":
            try take(",")
            value = .time(Timestamp(seconds: try number()))
        case "list":
            var values: [FactValue] = []
            while isNext("," as Unicode.Scalar) {
                try take(",")
                values.append(try factValue(depth: depth + 1))
            }
            value = .list(values)
        default: throw expected("the type of a fact")
        }
        try take("]")
        return value
    }

    mutating func claim() throws(EntryError) -> LimitClaim {
        try object { reader throws(EntryError) in
            let amount: Int128 = try reader.number("amount")
            let counter = try reader.text("counter")
            let maximum: Int128 = try reader.number("maximum")
            let window: LimitWindow
            if reader.isNext("since") {
                window = .since(try reader.time("since"))
                guard try reader.null("window") else { throw reader.expected("null") }
            } else {
                window =
                    try reader.null("window")
                    ? .ever : .sliding(seconds: try reader.integer("window"))
            }
            return LimitClaim(counter: counter, window: window, maximum: maximum, amount: amount)
        }
    }

    mutating func serial() throws(EntryError) -> SerialUse {
        try object { reader throws(EntryError) in
            let number: UInt64 = try reader.number("number")
            return SerialUse(series: try reader.text("series"), number: number)
        }
    }
}
