// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs
package import SigningCore
internal import SigningCrypto

/// The text form of a grant, over which its seal is computed; equal grants have equal texts.
package enum GrantRecord {
    /// The text of a grant.
    package static func body(_ grant: Grant) -> String {
        var members: [String: JSON] = [
            "id": .string(grant.idText), "answer": .string(grant.answer.rawValue),
            "scope": scope(grant.scope), "dangers": .array(grant.dangers.map { .string($0.name) }),
            "created": .integer(grant.created.seconds),
        ]
        if let expires = grant.expires { members["expires"] = .integer(expires.seconds) }
        if let session = grant.login { members["session"] = .string(session) }
        if let usesMax = grant.usesMax { members["uses"] = .integer(usesMax) }
        if let per = grant.per { members["per"] = .string(per.rawValue) }
        if grant.counter != Grant.ownCounter(grant.id) {
            members["counter"] = .string(grant.counter)
        }
        if !grant.bounds.isEmpty { members["bounds"] = FactRecord.json(grant.bounds) }
        if !grant.totals.isEmpty { members["totals"] = .array(grant.totals.map(total)) }
        return String(decoding: JSON.sorted(members).write(), as: UTF8.self)
    }

    /// The hash of a scope, by which the ledger finds the grants with this scope.
    package static func hash(of scope: Grant.Scope) -> [UInt8] {
        Digest.sha256(self.scope(scope).write().span)
    }

    /// Parses a grant; nil if the text is malformed.
    package static func grant(_ body: String) -> Grant? {
        guard let json = try? JSON.parse(Array(body.utf8).span),
            let id = json["id"]?.text.flatMap({ try? Hex.decode($0) }), id.count == Grant.idCount,
            let answer = json["answer"]?.text.flatMap({ Grant.Answer(rawValue: $0) }),
            let scope = json["scope"].flatMap(scope),
            let dangers = json["dangers"]?.list?.compactMap(\.text),
            let created = json["created"]?.integerValue
        else { return nil }
        let bounds = json["bounds"].map(FactRecord.facts) ?? []
        let per = json["per"].map { $0.text.flatMap(Remembering.Period.init) }
        let totals = json["totals"].map { $0.list?.map(total) } ?? []
        guard let bounds, let totals, !totals.contains(nil), per != .some(nil) else { return nil }
        return Grant(
            id: id, answer: answer, scope: scope, dangers: dangers.map { Danger($0) },
            created: Timestamp(seconds: created),
            expires: json["expires"]?.integerValue.map { Timestamp(seconds: $0) },
            login: json["session"]?.text, usesMax: json["uses"]?.integerValue, bounds: bounds,
            totals: totals.compactMap(\.self), per: per ?? nil, counter: json["counter"]?.text)
    }

    private static func total(_ total: Grant.Total) -> JSON {
        let asset = total.outflow.asset
        var members: [String: JSON] = [
            "asset": .string(asset.id), "network": .string(asset.network),
            "name": .string(asset.name), "most": .string(String(total.outflow.amount)),
            "counter": .string(total.counter),
        ]
        if let unit = asset.unit {
            members["unit"] = .array([
                .string(unit.symbol), .integer(Int64(unit.decimals)), .string(unit.smallest),
            ])
        }
        return .sorted(members)
    }

    private static func total(_ json: JSON) -> Grant.Total? {
        guard let id = json["asset"]?.text, let network = json["network"]?.text,
            let name = json["name"]?.text, let counter = json["counter"]?.text,
            let most = json["most"]?.text.flatMap({ Int128($0) }), most >= 0
        else { return nil }
        var unit: AmountUnit?
        if let parts = json["unit"]?.list {
            guard parts.count == 3, let symbol = parts[0].text,
                let decimals = parts[1].integerValue, (0...77).contains(decimals),
                let smallest = parts[2].text
            else { return nil }
            unit = AmountUnit(symbol: symbol, decimals: Int(decimals), smallest: smallest)
        }
        let asset = Asset(id: id, network: network, name: name, unit: unit)
        return Grant.Total(Outflow(asset, most), counter: counter)
    }

    private static func scope(_ scope: Grant.Scope) -> JSON {
        var members: [String: JSON] = [
            "client": .string(scope.client), "proof": .string(scope.proof.rawValue),
            "key": .string(scope.key.text), "protocol": .string(scope.protocolID.name),
            "method": .string(scope.method), "facts": FactRecord.json(scope.facts),
        ]
        if scope.isBroad { members["broad"] = .bool(true) }
        return .sorted(members)
    }

    private static func scope(_ json: JSON) -> Grant.Scope? {
        guard let client = json["client"]?.text,
            let proof = json["proof"]?.text.flatMap({ Client.Proof(rawValue: $0) }),
            let key = json["key"]?.text, let protocolName = json["protocol"]?.text,
            let method = json["method"]?.text, let facts = json["facts"].flatMap(FactRecord.facts)
        else { return nil }
        return Grant.Scope(
            client: client, proof: proof, key: KeyID(key), protocolID: ProtocolID(protocolName),
            method: method, facts: facts, isBroad: json["broad"] == .bool(true))
    }
}

/// Facts as JSON, with their types.
package enum FactRecord {
    /// The facts as JSON, in their order.
    package static func json(_ facts: [Fact]) -> JSON {
        .array(facts.map { .array([.string($0.name), value($0.value)]) })
    }

    /// Parses facts; nil if they are malformed.
    package static func facts(_ json: JSON) -> [Fact]? {
        guard let list = json.list else { return nil }
        var facts: [Fact] = []
        for item in list {
            guard let pair = item.list, pair.count == 2, let name = pair[0].text,
                let value = value(pair[1])
            else { return nil }
            facts.append(Fact(name, value))
        }
        return facts
    }

    private static func value(_ value: FactValue) -> JSON {
        switch value {
        case .bool(let bool): .bool(bool)
        case .integer(let number): .array([.string("integer"), .string(String(number))])
        case .text(let text): .string(text)
        case .bytes(let bytes): .array([.string("bytes"), .string(Hex.encode(bytes.span))])
        case .time(let time): .array([.string("time"), .string(String(time.seconds))])
        case .list(let values): .array([.string("list")] + values.map { self.value($0) })
        }
    }

    private static func value(_ json: JSON) -> FactValue? {
        if let text = json.text { return .text(text) }
        if case .bool(let bool) = json { return .bool(bool) }
        guard let parts = json.list, let kind = parts.first?.text else { return nil }
        let text = parts.count == 2 ? parts[1].text : nil
        switch kind {
        case "integer": return text.flatMap { Int128($0) }.map { .integer($0) }
        case "bytes": return text.flatMap { try? Hex.decode($0) }.map { .bytes($0) }
        case "time": return text.flatMap { Int64($0) }.map { .time(Timestamp(seconds: $0)) }
        case "list":
            let values = parts.dropFirst().map { self.value($0) }
            let known = values.compactMap { $0 }
            return known.count == values.count ? .list(known) : nil
        default: return nil
        }
    }
}
