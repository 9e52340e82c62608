// SPDX-License-Identifier: Apache-2.0
import SigningCore
import SigningPolicy

extension ReferenceEvaluator {
    func value(_ name: String, _ subject: RequestedOperation?) -> FactValue? {
        switch name {
        case "protocol": .text(request.protocolID.name)
        case "operation": .text(request.method)
        case "key": subject.map { .text($0.account.name) }
        case "key.tags": subject.map { .list($0.account.tags.map { .text($0) }) }
        case "client": request.client.map { .text($0.id) }
        case "client.party": request.client.map { .text($0.party) }
        case "client.name": request.client?.name.map { .text($0) }
        case "client.proof": request.client.map { .text($0.proof.word) }
        case "client.callback": request.client?.callback.map { .text($0) }
        case "client.profile":
            if case .browser(let profile)? = request.client?.proof { .text(profile) } else { nil }
        case "client.top_origin": request.peer.credential?.page.map { .text($0.topOrigin) }
        case "client.process.uid": request.peer.provedUserID.map { .integer(Int128($0)) }
        case "client.process.exe": request.peer.executable.map { .text($0) }
        case "client.process.unit": request.peer.unit.map { .text($0) }
        case "client.process.exe_sha256":
            request.peer.process?.executableHash.map { bytes in
                .text(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
            }
        case "client.process.parents":
            request.peer.process?.parents.map { .list($0.map { .text($0) }) }
        case "channel": .text(request.peer.channel.name)
        case "hub": request.hub.map { .text($0) }
        case "request.operations": .integer(Int128(request.operations.count))
        case "size": .integer(Int128(request.frameBytes))
        case "time": request.clock < request.time ? nil : .time(request.time)
        case "decoded": .text(request.decoding.rawValue)
        case "outflow": outflow(of: subject)
        case let name where name.hasPrefix("request.total."): total(String(name.dropFirst(14)))
        case let name where name.hasPrefix("first_use."):
            firstUse(String(name.dropFirst(10)), subject)
        case "effects":
            .list(Set(request.effects + (subject?.effects ?? [])).map { .text($0.rawValue) })
        case "danger":
            .list(Set(request.dangers + (subject?.dangers ?? [])).map { .text($0.name) })
        default:
            subject?.facts.first { $0.name == name }?.value
                ?? request.facts.first { $0.name == name }?.value
        }
    }

    /// The seconds since the operation's key first signed for the counterparty in this field.
    private func firstUse(_ base: String, _ subject: RequestedOperation?) -> FactValue? {
        guard let subject, let party = value(base, subject) else { return nil }
        guard case .text(let name) = party else { return .list([]) }
        switch value("network", subject) {
        case nil, .text: break
        default: return .list([])
        }
        guard let first = usage.firstUses["\(base) \(name)"] else { return .integer(0) }
        return .integer(max(1, Int128(request.time.seconds - first.seconds)))
    }

    /// Whether the operation is about the asset, even if the rule has no condition that says so.
    func isAbout(_ asset: PolicyAsset, _ subject: RequestedOperation?) -> Bool? {
        func equals(_ value: FactValue?, _ wanted: FactValue) -> Bool? {
            switch (value, wanted) {
            case (.text, .text), (.integer, .integer): value == wanted
            default: nil
            }
        }
        return Self.and([
            request.protocolID.name == asset.protocolName,
            equals(value("network", subject), .text(asset.network)),
            equals(value("asset", subject), asset.identity),
        ])
    }

    /// The result of the condition; an amount of an asset demands that the operation is about it.
    func truth(_ condition: Condition, _ subject: RequestedOperation?, all: Bool) -> Bool? {
        let isTotal = condition.field.name.hasPrefix("request.total.")
        return Self.and([
            isTotal ? true : condition.asset.map { isAbout($0, subject) } ?? true,
            values(condition, subject, all: all),
        ])
    }

    /// The result of the condition for all values of a list, or for at least one.
    private func values(
        _ condition: Condition, _ subject: RequestedOperation?, all: Bool
    ) -> Bool? {
        let field = condition.field
        let value = value(field.name, subject)
        guard field.isList, case .list(let elements)? = value, field.name != "key.tags" else {
            return Self.and(condition.matchers.map { truth($0, field, value) })
        }
        var whole: [Bool?] = []
        var single: [Matcher] = []
        for matcher in condition.matchers {
            switch matcher {
            case .count, .exists: whole.append(truth(matcher, field, value))
            default: single.append(matcher)
            }
        }
        if single.isEmpty { return Self.and(whole) }
        guard !elements.isEmpty else {
            let isOfEngine = ["danger", "effects"].contains(field.name)
            return Self.and(
                whole
                    + single.map { matcher -> Bool? in
                        if case .has = matcher { return false }
                        if case .notIn = matcher, isOfEngine { return true }
                        return nil
                    })
        }
        let truths = elements.map { element in
            Self.and(single.map { self.single($0, field, element) })
        }
        let held = all ? Self.and(truths) : Self.and(truths.map { $0.map { !$0 } }).map { !$0 }
        return Self.and(whole + [held])
    }

    private static func and(_ truths: [Bool?]) -> Bool? {
        if truths.contains(false) { return false }
        return truths.contains(nil) ? nil : true
    }

    private func truth(_ matcher: Matcher, _ field: PolicyField, _ value: FactValue?) -> Bool? {
        if case .exists(let wanted) = matcher {
            if value != nil { return wanted }
            return request.decoding == .full ? !wanted : nil
        }
        guard let value else { return nil }
        guard field.isList else { return single(matcher, field, value) }
        guard case .list(let elements) = value else { return nil }
        let truths = elements.map { single(matcher, field, $0) }
        switch matcher {
        case .count(let range): return range ~= elements.count
        case .has:
            if truths.contains(true) { return true }
            return truths.contains(nil) ? nil : false
        default:
            if truths.contains(false) { return false }
            if truths.contains(nil) { return nil }
            if case .notIn = matcher { return true }
            return elements.isEmpty ? nil : true
        }
    }

    private func single(_ matcher: Matcher, _ field: PolicyField, _ value: FactValue) -> Bool? {
        switch (field.type, value) {
        case (.bool, .bool), (.integer, .integer), (.amount, .integer), (.text, .text),
            (.account, .text), (.time, .time), (.duration, .integer):
            break
        default: return nil
        }
        var number: Int128?
        if case .integer(let integer) = value { number = integer }
        if case .time(let time) = value { number = Int128(time.seconds) }
        var text = ""
        if case .text(let words) = value { text = words }
        switch matcher {
        case .isIn(let list), .has(let list): return all(of: list).contains(value)
        case .notIn(let list): return !all(of: list).contains(value)
        case .atLeast(let bound): return number.map { !($0 < bound) }
        case .atMost(let bound): return number.map { !($0 > bound) }
        case .hasPrefix(let ends): return ends.contains { $0.words.map(text.hasPrefix) ?? false }
        case .hasSuffix(let ends): return ends.contains { $0.words.map(text.hasSuffix) ?? false }
        case .contains(let parts):
            return parts.contains { $0.words.map { text.contains($0) } ?? false }
        case .glob(let patterns):
            return patterns.contains {
                Self.globs(Array($0.text.unicodeScalars), Array(text.unicodeScalars))
            }
        case .regex(let patterns): return patterns.contains { $0.matches(text) }
        case .exists, .count: return nil
        }
    }

    /// Tries every assignment of a text to the pattern.
    private static func globs(_ pattern: [Unicode.Scalar], _ text: [Unicode.Scalar]) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        func isWithin(_ scalar: Unicode.Scalar) -> Bool {
            !"/?#@\\".unicodeScalars.contains(scalar)
        }
        if first == "*" {
            let isDouble = pattern.count > 1 && pattern[1] == "*"
            let rest = Array(pattern.dropFirst(isDouble ? 2 : 1))
            for count in 0...text.count {
                if !isDouble, !text.prefix(count).allSatisfy(isWithin) { return false }
                if globs(rest, Array(text.dropFirst(count))) { return true }
            }
            return false
        }
        guard let scalar = text.first else { return false }
        let fits = first == "?" ? isWithin(scalar) : scalar == first
        return fits && globs(Array(pattern.dropFirst()), Array(text.dropFirst()))
    }

    private func all(of list: ValueList) -> [FactValue] {
        let own = list.includesOwn ? request.ownAddresses.map { FactValue.text($0) } : []
        return list.literals.values + list.sets.flatMap(\.values.values) + own
    }
}

extension FactValue {
    fileprivate var words: String? {
        if case .text(let text) = self { text } else { nil }
    }
}

extension ReferenceEvaluator {
    func some(_ truths: [Bool?]) -> Bool? {
        if truths.contains(true) { return true }
        return truths.contains(nil) ? nil : false
    }

    func every(_ truths: [Bool?]) -> Bool? {
        if truths.contains(false) { return false }
        return truths.contains(nil) ? nil : true
    }
}
