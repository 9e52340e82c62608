// SPDX-License-Identifier: Apache-2.0
package import SigningCore
package import SigningPolicy

/// The difference of two policies, shown by requests that they answer differently.
package struct PolicyDifference: Sendable {
    /// A request that shows a difference.
    package struct Witness: Sendable {
        package let request: String
        package let before: String
        package let after: String
        /// The earlier uses of the limits; nil if absent.
        package let past: String?
    }

    /// The most requests that are tried for each method.
    package static let pointsMax = 20_000
    /// The most histories with which each request is tried.
    static let pastsMax = 24

    /// The most changed rules for each of which a request is sought that shows the change.
    ///
    /// The next two numbers are the most requests and histories that are tried for one rule.
    static let focusedRulesMax = 64
    static let focusedPointsMax = 512
    static let focusedPastsMax = 4

    /// The rules that differ, sorted by id.
    package private(set) var changes: [RuleChange]
    /// The ids of the rules that differ.
    package var changedRules: [String] { changes.map(\.id) }
    /// The owner's acts for which the two policies demand different approvers.
    package let changedActs: [String]
    package private(set) var widening: Witness?
    package private(set) var tightening: Witness?
    /// Whether all combinations of the values that rules name were tried, or only a sample.
    ///
    /// Other values, batches, histories and times were not tried, so this is no proof.
    package private(set) var triedAllNamed = true
    package private(set) var triedCount = 0

    private let old: TOMLPolicy
    private let new: TOMLPolicy
    private let own: [String]
    private let pointsMax: Int
    private let now: Timestamp

    /// The result in one word.
    ///
    /// `same` if nothing changed; `widens` if a request shows it; `tightens` if a request shows it
    /// and no change can widen; `incomparable` if requests show both; otherwise `not proved`.
    package var word: String {
        switch (widening, tightening) {
        case (nil, nil): isChanged ? "not proved" : "same"
        case (_, nil): "widens"
        case (nil, _): isProvedNotToWiden ? "tightens" : "not proved"
        default: "incomparable"
        }
    }

    /// True if a rule, a set that rules use, the default, or the approvers of an act differ.
    package var isChanged: Bool {
        !changedRules.isEmpty || !changedActs.isEmpty
            || old.document.fallback != new.document.fallback
    }

    /// True if every change is of a kind that cannot make any answer milder.
    package var isProvedNotToWiden: Bool {
        new.document.fallback >= old.document.fallback
            && Self.isAsStrict(new.governance, as: old.governance)
            && changes.allSatisfy(\.isProvedNotToWiden)
    }

    /// True if every change is of a kind that cannot make any answer stricter.
    package var isProvedNotToTighten: Bool {
        old.document.fallback >= new.document.fallback
            && Self.isAsStrict(old.governance, as: new.governance)
            && changes.allSatisfy {
                RuleChange($0.id, $0.after, $0.before, fallback: new.document.fallback)
                    .isProvedNotToWiden
            }
    }

    private static func isAsStrict(_ one: Governance, as other: Governance) -> Bool {
        Governance.Act.allCases.allSatisfy { act in
            guard let demanded = other.demands[act] else { return true }
            return one.demands[act]?.isAsStrict(as: demanded) ?? false
        }
    }

    package init(
        from old: TOMLPolicy, to new: TOMLPolicy, own: [String], at time: Timestamp,
        pointsMax: Int = Self.pointsMax
    ) {
        self.pointsMax = pointsMax
        now = time
        self.old = old
        self.new = new
        self.own = own.isEmpty ? ["(an account held here)"] : own
        let (before, after) = (old.document.rulesByID, new.document.rulesByID)
        changes = Self.changedRules(old.document, new.document).map {
            RuleChange($0, before[$0], after[$0], fallback: old.document.fallback)
        }
        changedActs = Governance.Act.allCases.filter {
            Self.differ(old.governance.demands[$0], new.governance.demands[$0])
        }.map(\.rule)
        guard isChanged else { return }
        compareGovernance()
        for schema in old.vocabulary.schemas {
            for method in schema.methods { compare(schema.protocolID, method, time) }
        }
        for place in changes.indices.filter({ !changes[$0].isProvedNotToWiden })
            .prefix(Self.focusedRulesMax)
        {
            lookForWidening(by: place, time)
        }
    }

    private static func changedRules(_ old: PolicyDocument, _ new: PolicyDocument) -> [String] {
        let (before, after) = (exactRules(old), exactRules(new))
        // A set with other members changes the rules that use it.
        let setsChanged =
            old.canonicalSets.map(ExactText.init) != new.canonicalSets.map(ExactText.init)
        return Set(before.keys).union(after.keys).filter { id in
            guard let left = before[id], let right = after[id] else { return true }
            return left != right || (setsChanged && left.text.contains("\"@"))
        }.map(\.text).sorted()
    }

    private static func exactRules(_ document: PolicyDocument) -> [ExactText: ExactText] {
        Dictionary(
            uniqueKeysWithValues: document.rules.map {
                (ExactText($0.id), ExactText($0.canonicalText))
            })
    }

    private mutating func compare(_ protocolID: ProtocolID, _ method: String, _ time: Timestamp) {
        let rules = rules(for: protocolID, method)
        let changed = Set(changedRules)
        let isConcerned =
            old.document.fallback != new.document.fallback
            || rules.contains { changed.contains($0.id) }
        guard isConcerned else { return }
        let space = RequestSpace(
            rules, protocolID: protocolID, method: method, own: own, time: time,
            new.vocabulary)
        triedAllNamed = triedAllNamed && space.count <= pointsMax && !space.isCut
        let pasts = Self.pasts(rules)
        space.forEach(countMax: pointsMax) { point in
            triedCount += 1
            let request = point.judged(own: own)
            for past in pasts {
                judge(request, point, past, space)
                if widening != nil, tightening != nil { return false }
            }
            return true
        }
    }

    /// The rules of both policies that a method may match.
    ///
    /// Changed rules come first, because the number of values tried is limited.
    private func rules(for protocolID: ProtocolID, _ method: String) -> [PolicyRule] {
        let changed = Set(changedRules)
        let rules = [old, new].flatMap(\.document.rules).filter {
            $0.mayMatch(protocolID, method)
        }
        return rules.filter { changed.contains($0.id) } + rules.filter { !changed.contains($0.id) }
    }

    /// Looks for a request that gets a milder answer because of one changed rule.
    ///
    /// The requests tried match the old or the new rule, at times when the rule is in force in one
    /// policy. The old policy with only this change must also answer more mildly; otherwise the
    /// request shows another change.
    private mutating func lookForWidening(by place: Int, _ now: Timestamp) {
        let change = changes[place]
        let alone = old.with(old.document.making(change))
        let versions = [change.after, change.before].compactMap { $0 }
        let methods = old.vocabulary.schemas.flatMap { schema in
            schema.methods.map { (schema.protocolID, $0) }
        }.filter { method in versions.contains { $0.mayMatch(method.0, method.1) } }
        let pasts = Self.pasts(versions).prefix(Self.focusedPastsMax)
        let moments = change.moments(at: now)
        let countMax = max(2, Self.focusedPointsMax / max(1, methods.count * moments.count))
        for (protocolID, method) in methods {
            let space = RequestSpace(
                rules(for: protocolID, method), protocolID: protocolID, method: method, own: own,
                time: now, new.vocabulary)
            for version in versions where version.mayMatch(protocolID, method) {
                let focused = space.focused(on: version)
                for moment in moments where changes[place].widening == nil {
                    focused.forEachInFocus(countMax: countMax, at: moment) { point in
                        triedCount += 1
                        let request = point.judged(own: own)
                        for past in pasts where changes[place].widening == nil {
                            let found = judge(request, point, past, focused)
                            guard found.isWidening, widens(alone, request, past) else { continue }
                            changes[place].widening = found.witness
                        }
                        return changes[place].widening == nil
                    }
                }
            }
            if changes[place].widening != nil { return }
        }
    }

    /// Whether a policy answers a request more mildly than the old policy does.
    private func widens(
        _ policy: TOMLPolicy, _ request: JudgedRequest, _ past: PastUse
    ) -> Bool {
        guard let before = try? old.judge(request, usage: past),
            let after = try? policy.judge(request, usage: past)
        else { return false }
        return Self.compare(before, after).widens
    }

    @discardableResult
    private mutating func judge(
        _ request: JudgedRequest, _ point: RequestPoint, _ past: PastUse, _ space: RequestSpace
    ) -> (isWidening: Bool, witness: Witness?) {
        guard let before = try? old.judge(request, usage: past),
            let after = try? new.judge(request, usage: past)
        else { return (false, nil) }
        let (isWidening, isTightening) = Self.compare(before, after)
        guard isWidening || isTightening else { return (false, nil) }
        let moment = point.time == now ? "" : ", at \(point.time.utcText)"
        let witness = Witness(
            request: point.text(of: space.fields) + moment, before: before.word,
            after: after.word,
            past: past == .none
                ? nil : "every limit used up to \(past.amount), \(past.secondsAgo) seconds ago")
        if isWidening, widening == nil { widening = witness }
        if isTightening, tightening == nil { tightening = witness }
        return (isWidening, witness)
    }

    /// Compares two verdicts or, if they are equal, the demands for approvers.
    ///
    /// A judgement is milder than the other if the other has a demand for which this judgement has
    /// none as strict.
    private static func compare(
        _ before: Judgement, _ after: Judgement
    ) -> (widens: Bool, tightens: Bool) {
        let (old, new) = (before.verdict.effect, after.verdict.effect)
        guard old == new else { return (new < old, old < new) }
        func lacks(_ demands: [ApproverDemand], _ others: [ApproverDemand]) -> Bool {
            demands.contains { demand in !others.contains { $0.isAsStrict(as: demand) } }
        }
        return (lacks(before.demands, after.demands), lacks(after.demands, before.demands))
    }

    /// Whether the demands differ in their approvers; the names of approvers do not matter.
    private static func differ(_ one: ApproverDemand?, _ other: ApproverDemand?) -> Bool {
        guard let one, let other else { return (one == nil) != (other == nil) }
        return !one.isAsStrict(as: other) || !other.isAsStrict(as: one)
    }

    /// Compares the approvers of the owner's acts; a changed demand needs no example request.
    private mutating func compareGovernance() {
        for act in Governance.Act.allCases {
            let (before, after) = (old.governance.demands[act], new.governance.demands[act])
            guard Self.differ(before, after) else { continue }
            let witness = Witness(
                request: act.rule, before: before?.text ?? "the owner alone",
                after: after?.text ?? "the owner alone", past: nil)
            if let before, after?.isAsStrict(as: before) != true { widening = witness }
            if let after, before?.isAsStrict(as: after) != true { tightening = witness }
        }
    }

    /// The parts that differ: `-` for removed parts, `+` for added parts.
    ///
    /// Each member of a set that is in both policies is one part. A part with characters outside
    /// ASCII is repeated with code points, as some characters look like others.
    package var changedParts: [String] {
        let (before, after) = (parts(of: old.document), parts(of: new.document))
        let (known, kept) = (Set(before), Set(after))
        return before.filter { !kept.contains($0) }.flatMap { $0.lines("- ") }
            + after.filter { !known.contains($0) }.flatMap { $0.lines("+ ") }
    }

    /// The changed parts that must be shown in full: keys of approvers, approvers of acts, and
    /// parts with characters outside ASCII, which may look like other text.
    package var namedParts: [String] {
        let (before, after) = (parts(of: old.document), parts(of: new.document))
        let (known, kept) = (Set(before), Set(after))
        func isNamed(_ part: ExactText) -> Bool {
            !part.isASCII || ["approver ", "governance"].contains { part.text.hasPrefix($0) }
        }
        return before.filter { !kept.contains($0) && isNamed($0) }.flatMap { $0.lines("- ") }
            + after.filter { !known.contains($0) && isNamed($0) }.flatMap { $0.lines("+ ") }
    }

    private func parts(of document: PolicyDocument) -> [ExactText] {
        let names = Set(old.document.sets.map { ExactText($0.name) })
            .intersection(new.document.sets.map { ExactText($0.name) })
        return document.parts { names.contains(ExactText($0)) }.map(ExactText.init)
    }

    /// The histories at which the limits of some rules change their answer.
    private static func pasts(_ rules: [PolicyRule]) -> [PastUse] {
        let limits = rules.flatMap(\.limits)
        var ages: Set<Int64> = [0]
        for limit in limits {
            if case .sliding(let seconds) = limit.window { ages.formUnion([seconds - 1, seconds]) }
            if case .calendar = limit.window { ages.insert(86_400) }
        }
        var amounts: Set<Int128> = []
        for limit in limits { amounts.formUnion([limit.maximum - 1, limit.maximum]) }
        let pasts = amounts.sorted().flatMap { amount in
            ages.sorted().map { PastUse(amount: amount, secondsAgo: $0) }
        }
        return [.none] + pasts.prefix(pastsMax)
    }
}

extension PolicyDocument {
    fileprivate var rulesByID: [String: PolicyRule] {
        Dictionary(rules.map { ($0.id, $0) }) { first, _ in first }
    }

    /// Makes a copy of the document with one rule added, removed or changed.
    fileprivate func making(_ change: RuleChange) -> PolicyDocument {
        var copy = self
        copy.rules = rules.filter { $0.id != change.id } + [change.after].compactMap { $0 }
        copy.rules.sort { $0.id < $1.id }
        return copy
    }
}

extension Judgement {
    /// The verdict and the demanded approvers.
    fileprivate var word: String {
        ([verdict.name] + demands.map(\.text)).joined(separator: ": ")
    }
}

extension ApproverDemand {
    /// Whether everything that satisfies this demand also satisfies the other.
    func isAsStrict(as other: ApproverDemand) -> Bool {
        let keys = Set(other.members.map(\.key))
        return minimum >= other.minimum && members.allSatisfy { keys.contains($0.key) }
            && (other.submitterMayApprove || !submitterMayApprove) && seconds <= other.seconds
    }
}

extension Verdict {
    var effect: RuleEffect {
        switch self {
        case .allow: .allow
        case .ask: .ask
        case .deny: .deny
        }
    }
}

/// A text that is equal only to a text with the same bytes; strings also compare equal if they are
/// canonically equivalent.
private struct ExactText: Hashable {
    let text: String
    private let bytes: [UInt8]

    init(_ text: String) {
        self.text = text
        bytes = Array(text.utf8)
    }

    static func == (one: Self, other: Self) -> Bool { one.bytes == other.bytes }

    func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

    var isASCII: Bool { bytes.allSatisfy { $0 < 0x80 } }

    /// The text after a mark; if it is not pure ASCII, a second line shows its code points.
    func lines(_ mark: String) -> [String] {
        guard !isASCII else { return ["\(mark)\(text)"] }
        let exact = text.unicodeScalars.map { scalar in
            scalar.isASCII
                ? String(scalar) : "<U+\(String(scalar.value, radix: 16, uppercase: true))>"
        }.joined()
        return ["\(mark)\(text)", "  exactly: \(exact)"]
    }
}
