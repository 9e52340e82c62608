// SPDX-License-Identifier: Apache-2.0
package import SigningCore
package import SigningPolicy

/// What changes between two policies, shown by requests that they answer differently.
package struct PolicyDifference: Sendable {
    /// A request that shows a difference.
    package struct Witness: Sendable {
        package let request: String
        package let before: String
        package let after: String
        /// What the limits had counted before; nil for nothing.
        package let past: String?
    }

    /// The most requests that are tried for each method.
    package static let pointsMax = 20_000
    /// The most pasts that each request is tried with.
    static let pastsMax = 24

    /// The ids of rules that are not the same in both, sorted.
    package let changedRules: [String]
    /// What the owner did not do alone in one of both and is under others in the other.
    package let changedActs: [String]
    package private(set) var widening: Witness?
    package private(set) var tightening: Witness?
    /// Whether all combinations of the fields' values were tried, or a sample of them.
    package private(set) var isExhaustive = true
    package private(set) var triedCount = 0

    private let old: TOMLPolicy
    private let new: TOMLPolicy
    private let own: [String]
    private let pointsMax: Int

    /// `widens`, `tightens` or both as `incomparable`, where a request shows it; `same` where
    /// nothing was changed, and `not proved` where no request was found that shows a change.
    package var word: String {
        switch (widening, tightening) {
        case (nil, nil): isChanged ? "not proved" : "same"
        case (_, nil): "widens"
        case (nil, _): "tightens"
        default: "incomparable"
        }
    }

    /// Whether a rule, a set that rules use, the default, or whom an act takes is another one.
    package var isChanged: Bool {
        !changedRules.isEmpty || !changedActs.isEmpty
            || old.document.fallback != new.document.fallback
    }

    /// Whether nothing can be allowed or asked that was not before, for no reason but deny rules
    /// that were added.
    package var isProvedNotToWiden: Bool { Self.onlyAddsDenials(changedRules, old, new) }

    /// Whether nothing can be refused or asked that was not before, for no reason but deny rules
    /// that were taken away.
    package var isProvedNotToTighten: Bool { Self.onlyAddsDenials(changedRules, new, old) }

    /// One more deny rule makes no verdict milder.
    private static func onlyAddsDenials(
        _ changed: [String], _ old: TOMLPolicy, _ new: TOMLPolicy
    ) -> Bool {
        old.document.fallback == new.document.fallback && old.governance == new.governance
            && changed.allSatisfy { id in
                !old.document.ruleIDs.contains(id)
                    && new.document.rules.contains { $0.id == id && $0.effect == .deny }
            }
    }

    package init(
        from old: TOMLPolicy, to new: TOMLPolicy, own: [String], at time: Timestamp,
        pointsMax: Int = Self.pointsMax
    ) {
        self.pointsMax = pointsMax
        self.old = old
        self.new = new
        self.own = own.isEmpty ? ["(an account held here)"] : own
        changedRules = Self.changedRules(old.document, new.document)
        changedActs = Governance.Act.allCases.filter {
            Self.differ(old.governance.demands[$0], new.governance.demands[$0])
        }.map(\.rule)
        guard isChanged else { return }
        compareGovernance()
        for schema in old.vocabulary.schemas {
            for method in schema.methods { compare(schema.protocolID, method, time) }
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
        let rules = [old, new].flatMap(\.document.rules).filter {
            $0.mayMatch(protocolID, method)
        }
        let isConcerned =
            old.document.fallback != new.document.fallback
            || rules.contains { changedRules.contains($0.id) }
        guard isConcerned else { return }
        let space = RequestSpace(
            rules, protocolID: protocolID, method: method, own: own, time: time,
            vocabulary: new.vocabulary)
        isExhaustive = isExhaustive && space.count <= pointsMax && !space.isCut
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

    private mutating func judge(
        _ request: JudgedRequest, _ point: RequestPoint, _ past: PastUse, _ space: RequestSpace
    ) {
        guard let before = try? old.judge(request, usage: past),
            let after = try? new.judge(request, usage: past)
        else { return }
        let (isWidening, isTightening) = Self.compare(before, after)
        guard (isWidening && widening == nil) || (isTightening && tightening == nil) else { return }
        let witness = Witness(
            request: point.text(of: space.fields), before: before.word, after: after.word,
            past: past == .none
                ? nil : "every limit used up to \(past.amount), \(past.secondsAgo) seconds ago")
        if isWidening, widening == nil { widening = witness }
        if isTightening, tightening == nil { tightening = witness }
    }

    /// Of two that ask, by whom: a demand that none of the other side is as strict as.
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

    /// Whether it takes other people; what they are called is nothing.
    private static func differ(_ one: ApproverDemand?, _ other: ApproverDemand?) -> Bool {
        guard let one, let other else { return (one == nil) != (other == nil) }
        return !one.isAsStrict(as: other) || !other.isAsStrict(as: one)
    }

    /// Whom an act takes is witness enough of itself.
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

    /// Every part that is another one: what went with `-`, what came with `+`.
    ///
    /// Of a set that is in both, its members are parts. Whatever has other than ASCII characters
    /// stands there once more with these as numbers, as some look like others.
    package var changedParts: [String] {
        let (before, after) = (parts(of: old.document), parts(of: new.document))
        let (known, kept) = (Set(before), Set(after))
        return before.filter { !kept.contains($0) }.flatMap { $0.lines("- ") }
            + after.filter { !known.contains($0) }.flatMap { $0.lines("+ ") }
    }

    private func parts(of document: PolicyDocument) -> [ExactText] {
        let names = Set(old.document.sets.map { ExactText($0.name) })
            .intersection(new.document.sets.map { ExactText($0.name) })
        return document.parts { names.contains(ExactText($0)) }.map(ExactText.init)
    }

    /// Pasts at which the limits of some rules change their answer.
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

extension Judgement {
    /// The verdict, and who has to approve.
    fileprivate var word: String {
        ([verdict.name] + demands.map(\.text)).joined(separator: ": ")
    }
}

extension ApproverDemand {
    /// Whether all that meets this meets the other as well.
    fileprivate func isAsStrict(as other: ApproverDemand) -> Bool {
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

/// A text that equals none with other bytes, as canonically equivalent strings do.
private struct ExactText: Hashable {
    let text: String
    private let bytes: [UInt8]

    init(_ text: String) {
        self.text = text
        bytes = Array(text.utf8)
    }

    static func == (one: Self, other: Self) -> Bool { one.bytes == other.bytes }

    func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

    /// Behind a mark, and, where it is not ASCII alone, with its characters as numbers below.
    func lines(_ mark: String) -> [String] {
        guard !bytes.allSatisfy({ $0 < 0x80 }) else { return ["\(mark)\(text)"] }
        let exact = text.unicodeScalars.map { scalar in
            scalar.isASCII
                ? String(scalar) : "<U+\(String(scalar.value, radix: 16, uppercase: true))>"
        }.joined()
        return ["\(mark)\(text)", "  exactly: \(exact)"]
    }
}
