// SPDX-License-Identifier: Apache-2.0
@testable import SigningCore
@testable import SigningPolicy

/// The meaning of the rules, written a second time: slowly, straight from the document.
///
/// Truth is `Bool?`, nil for unknown.
struct ReferenceEvaluator {
    let document: PolicyDocument
    let request: JudgedRequest
    let counts: [String: Int128]

    /// The verdict's name, the ids of the deciding rules and what is charged.
    struct Answer: Equatable {
        var verdict: String
        var rules: Set<String>
        var charged: [String: Int128]
    }

    func answer() -> Answer {
        var said: [(verdict: String, rule: String?)] = []
        var charged: [String: Int128] = [:]
        let subjects: [RequestedOperation?] =
            request.operations.isEmpty ? [nil] : request.operations
        let denied = subjects.contains { matching("deny", $0).isEmpty == false }
        for subject in subjects {
            said += matching("deny", subject).map { ("deny", $0.id) }
            let asking = matching("ask", subject)
            said += asking.map { ("ask", $0.id) }
            if denied { continue }
            let dangers = Set(request.dangers + (subject?.dangers ?? []))
            let allowing = matching("allow", subject).filter {
                dangers.isSubset(of: $0.acknowledged)
            }.sorted { $0.id < $1.id }
            if let rule = allowing.first(where: { hasRoom($0, charged) }) {
                if !rule.limits.isEmpty { charged["\(rule.id)#count", default: 0] += 1 }
                said.append(("allow", rule.id))
            } else if let rule = allowing.first(where: { $0.onExceed == .ask }) ?? allowing.first {
                said.append((rule.onExceed.rawValue, rule.id))
            } else if asking.isEmpty {
                said.append((document.fallback.rawValue, nil))
            }
        }
        let verdict = ["deny", "ask", "allow"].first { name in
            said.contains { $0.verdict == name }
        }
        return Answer(
            verdict: verdict ?? "nothing",
            rules: Set(said.filter { $0.verdict == verdict }.compactMap(\.rule)),
            charged: verdict == "allow" ? charged : [:])
    }

    private func hasRoom(_ rule: PolicyRule, _ charged: [String: Int128]) -> Bool {
        rule.limits.allSatisfy { limit in
            let counter = "\(rule.id)#count"
            let used = (counts[counter] ?? 0) + (charged[counter] ?? 0)
            return used + 1 <= limit.maximum
        }
    }

    private func matching(_ effect: String, _ subject: RequestedOperation?) -> [PolicyRule] {
        document.rules.filter { rule in
            guard rule.effect.rawValue == effect else { return false }
            if let expires = rule.expires, request.time >= expires { return false }
            let holds = every(rule.conditions.map { truth($0, subject) })
            let excepted = rule.exception.map { every($0.map { truth($0, subject) }) } ?? false
            if effect == "allow" { return holds == true && excepted == false }
            return holds != false && excepted != true
        }
    }

    private func every(_ truths: [Bool?]) -> Bool? {
        if truths.contains(false) { return false }
        return truths.contains(nil) ? nil : true
    }

    private func value(_ name: String, _ subject: RequestedOperation?) -> FactValue? {
        switch name {
        case "protocol": .text(request.protocolID.name)
        case "operation": .text(request.method)
        case "key": subject.map { .text($0.account.name) }
        case "client": request.client.map { .text($0.id) }
        case "channel": .text(request.origin.channel)
        case "size": .integer(Int128(request.frameBytes))
        case "decoded": .text(request.decoding.rawValue)
        case "effects":
            .list(Set(request.effects + (subject?.effects ?? [])).map { .text($0.rawValue) })
        case "danger":
            .list(Set(request.dangers + (subject?.dangers ?? [])).map { .text($0.name) })
        default:
            subject?.facts.first { $0.name == name }?.value
                ?? request.facts.first { $0.name == name }?.value
        }
    }

    private func truth(_ condition: Condition, _ subject: RequestedOperation?) -> Bool? {
        let value = value(condition.field.name, subject)
        return every(condition.matchers.map { truth($0, condition.field, value) })
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
        case .notIn:
            if truths.contains(false) { return false }
            return truths.contains(nil) ? nil : true
        default: return elements.isEmpty ? nil : every(truths)
        }
    }

    private func single(_ matcher: Matcher, _ field: PolicyField, _ value: FactValue) -> Bool? {
        switch (field.type, value) {
        case (.bool, .bool), (.integer, .integer), (.amount, .integer), (.text, .text),
            (.account, .text):
            break
        default: return nil
        }
        var number: Int128?
        if case .integer(let integer) = value { number = integer }
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
        case .glob(let patterns), .regex(let patterns):
            return patterns.contains { $0.matches(text) }
        case .exists, .count: return nil
        }
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
