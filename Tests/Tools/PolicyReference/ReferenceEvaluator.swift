// SPDX-License-Identifier: Apache-2.0
package import SigningCore
package import SigningPolicy

/// A second implementation of the rules: slow, and directly from the document.
///
/// Truth is `Bool?`, nil for unknown.
package struct ReferenceEvaluator {
    let document: PolicyDocument
    let request: JudgedRequest
    let usage: FakeUsage

    package init(document: PolicyDocument, request: JudgedRequest, usage: FakeUsage) {
        self.document = document
        self.request = request
        self.usage = usage
    }

    /// The name of the verdict, the ids of the deciding rules, and the claims of a yes.
    package struct Answer: Equatable {
        package var verdict: String
        package var rules: Set<String>
        package var claims: Set<LimitClaim>
        package var undecided: [Int]
        /// The rules and budgets whose approvers must agree.
        package var demands: Set<String>
        /// The seconds for which an allowed request waits.
        package var delay: Int64
    }

    /// The votes on a request, and the uses that it takes.
    private struct Tally {
        var said: [(verdict: String, rule: String?)] = []
        var demands: Set<String> = []
        /// The uses that count if the request is carried out.
        var taken: [Taken] = []
        var undecided: [Int] = []
        var delay: Int64 = 0
    }

    package func answer() -> Answer {
        var tally = Tally()
        let subjects: [RequestedOperation?] =
            request.operations.isEmpty ? [nil] : request.operations
        for subject in subjects {
            tally.said += matching("deny", subject).map { ("deny", $0.id) }
            let asking = matching("ask", subject)
            tally.said += asking.map { ("ask", $0.id) }
            tally.demands.formUnion(asking.compactMap(\.demand).map(\.rule))
        }
        if !tally.said.contains(where: { $0.verdict == "deny" }) {
            for (number, subject) in subjects.enumerated() { count(number, subject, &tally) }
        }
        let verdict =
            ["deny", "ask", "allow"].first { name in tally.said.contains { $0.verdict == name } }
            ?? "nothing"
        let deciding = tally.said.filter { $0.verdict == verdict }
        let isOpen = verdict == "ask" && deciding.allSatisfy { $0.rule == nil }
        let isCharged =
            verdict == "allow" || isOpen || (verdict == "ask" && document.version > 1)
        return Answer(
            verdict: verdict, rules: Set(deciding.compactMap(\.rule)),
            claims: isCharged ? Self.summed(tally.taken) : [],
            undecided: isOpen ? tally.undecided : [],
            demands: verdict == "ask" ? tally.demands : [],
            delay: verdict == "allow" ? tally.delay : 0)
    }

    /// Adds the votes on one operation, and its uses of limits.
    private func count(_ number: Int, _ subject: RequestedOperation?, _ tally: inout Tally) {
        let asking = matching("ask", subject).sorted { $0.id < $1.id }
        let matched = matching("allow", subject).sorted { ($0.delay, $0.id) < ($1.delay, $1.id) }
        // Every rule that matches brings its final budgets, also if a person decides.
        var capped: Set<String> = []
        var isWithin = true
        let before = tally.taken
        for rule in (asking + matched).sorted(by: { $0.id < $1.id }) {
            for budget in rule.budgets where budget.isFinal && capped.insert(budget.name).inserted {
                if hasRoom(budget, subject, before) {
                    tally.taken += uses(of: budget, number, subject)
                } else {
                    tally.said.append(("deny", rule.id))
                    isWithin = false
                }
            }
        }
        guard isWithin else { return }
        // The budgets of ask rules count a person's yes where they have room.
        draw(asking, number, subject, before, &tally)
        let dangers = Set(request.dangers + (subject?.dangers ?? []))
        let allowing = matched.filter { dangers.allSatisfy($0.covers) }
        let full = allowing.filter { !hasRoom($0, subject, before) }
        if let rule = allowing.first(where: { hasRoom($0, subject, before) }) {
            tally.said.append(("allow", rule.id))
            tally.delay = max(tally.delay, rule.delay)
            if asking.isEmpty || document.version == 1 {
                tally.taken += charges(of: rule, number, subject)
            }
            return
        }
        let escalating = full.filter { rule in
            rule.budgets.contains { $0.onExceed == .ask && !hasRoom($0, subject, before) }
        }
        if let rule = escalating.first {
            tally.said.append(("ask", rule.id))
            for rule in escalating {
                for budget in rule.budgets where !budget.isFinal {
                    if hasRoom(budget, subject, before) {
                        tally.taken += uses(of: budget, number, subject)
                    } else if let demand = budget.demand {
                        tally.demands.insert(demand.rule)
                    }
                }
            }
        } else if document.version == 1, let rule = full.first(where: { $0.onExceed == .ask }) {
            tally.said.append(("ask", rule.id))
        } else if document.version == 1, let rule = full.first {
            tally.said.append(("deny", rule.id))
        } else if asking.isEmpty || !matched.isEmpty {
            // A danger or a used-up limit keeps the rules from applying, or there are none.
            let names: [String?] = allowing.isEmpty ? [nil] : allowing.map(\.id)
            let verdict = asking.isEmpty ? document.fallback.rawValue : "ask"
            tally.said += names.map { (verdict, $0) }
            if asking.isEmpty { tally.undecided.append(number) }
        }
    }

    /// Adds what ask rules draw from budgets that are not final, and the votes of used-up ones.
    private func draw(
        _ rules: [PolicyRule], _ number: Int, _ subject: RequestedOperation?, _ before: [Taken],
        _ tally: inout Tally
    ) {
        var short: Set<String> = []
        for rule in rules {
            for budget in rule.budgets where !budget.isFinal {
                if hasRoom(budget, subject, before) {
                    tally.taken += uses(of: budget, number, subject)
                } else if short.insert(budget.name).inserted {
                    let escalates = budget.onExceed == .ask
                    tally.said.append((escalates ? "ask" : document.fallback.rawValue, rule.id))
                    if let demand = budget.demand { tally.demands.insert(demand.rule) }
                }
            }
        }
    }

    /// The amount that one operation takes of a counter.
    private struct Taken {
        /// The number of the operation, as all limits of a counter count the same uses.
        let subject: Int
        let claim: LimitClaim
    }

    private func uses(
        of budget: PolicyBudget, _ number: Int, _ subject: RequestedOperation?
    ) -> [Taken] {
        budget.limits.compactMap { claim($0, of: budget.name, subject) }
            .map { Taken(subject: number, claim: $0) }
    }

    /// The amount of a counter, once for each operation.
    private static func amount(of counter: String, in taken: [Taken]) -> Int128 {
        let uses = taken.filter { $0.claim.counter == counter }
        return Set(uses.map(\.subject)).reduce(0) { sum, subject in
            Self.sum(sum, uses.first { $0.subject == subject }?.claim.amount ?? 0)
        }
    }

    /// A sum that stays at the largest number.
    private static func sum(_ one: Int128, _ other: Int128) -> Int128 {
        let (sum, overflow) = one.addingReportingOverflow(other)
        return overflow ? .max : sum
    }

    /// One claim for each counter and window, by the strictest limit.
    private static func summed(_ taken: [Taken]) -> Set<LimitClaim> {
        Set(
            taken.map(\.claim).map { claim in
                let same = taken.map(\.claim).filter {
                    $0.counter == claim.counter && $0.window == claim.window
                }
                return LimitClaim(
                    counter: claim.counter, window: claim.window,
                    maximum: same.map(\.maximum).min() ?? 0,
                    amount: amount(of: claim.counter, in: taken))
            })
    }

    private func charges(
        of rule: PolicyRule, _ number: Int, _ subject: RequestedOperation?
    ) -> [Taken] {
        let own = rule.ownLimits.map { claim($0, of: rule.id, subject) }
        let shared = rule.budgets.flatMap { budget in
            budget.limits.map { claim($0, of: budget.name, subject) }
        }
        return (own + shared).compactMap { $0 }.map { Taken(subject: number, claim: $0) }
    }

    private func hasRoom(
        _ rule: PolicyRule, _ subject: RequestedOperation?, _ taken: [Taken]
    ) -> Bool {
        hasRoom(rule.ownLimits, of: rule.id, subject, taken)
            && rule.budgets.allSatisfy { hasRoom($0, subject, taken) }
    }

    private func hasRoom(
        _ budget: PolicyBudget, _ subject: RequestedOperation?, _ taken: [Taken]
    ) -> Bool {
        hasRoom(budget.limits, of: budget.name, subject, taken)
    }

    private func hasRoom(
        _ limits: [PolicyLimit], of owner: String, _ subject: RequestedOperation?,
        _ taken: [Taken]
    ) -> Bool {
        limits.allSatisfy { limit in
            guard let claim = claim(limit, of: owner, subject) else { return false }
            let before = Self.amount(of: claim.counter, in: taken)
            let used = (try? usage.used(claim, at: request.time)) ?? .max
            let (sum, overflow) = used.addingReportingOverflow(Self.sum(before, claim.amount))
            return !overflow && sum <= claim.maximum
        }
    }

    private func claim(
        _ limit: PolicyLimit, of owner: String, _ subject: RequestedOperation?
    ) -> LimitClaim? {
        // A person's yes counts also where it is only possible that the asset is the limit's.
        if let asset = limit.asset, isAbout(asset, subject) == false { return nil }
        var counter = owner
        var amount: Int128 = 1
        switch limit.measure {
        case .operations: counter += "#count"
        case .sum(let field):
            counter += limit.rates.isEmpty ? "#sum(\(field.name))" : "#sum(\(field.name) in USD)"
            guard case .integer(let value)? = value(field.name, subject), value >= 0 else {
                return nil
            }
            amount = value
            if !limit.rates.isEmpty {
                let moved = field.name == "outflow" ? subject?.outflows ?? [] : [Self.algo(value)]
                guard let worth = worth(of: moved, owner) else { return nil }
                amount = worth
            }
            let outflows = request.outflows + (subject?.outflows ?? [])
            let isUnbounded = outflows.contains { $0.amount == .max }
            if isUnbounded, field.name != "outflow" { amount = .max }
        }
        var parts: [String] = []
        for field in limit.scope {
            guard let value = value(field.name, subject), field.accepts(value) else { return nil }
            let identity = subject.map { FactValue.text("nostr:" + $0.account.id.text) }
            let text = Self.scopeText(field.name == "key" ? identity ?? value : value)
            guard text.utf8.count <= 512 else { return nil }
            parts.append("\(field.name)=\(text)")
        }
        if !parts.isEmpty { counter += "[" + parts.joined(separator: ",") + "]" }
        var maximum = limit.maximum
        if let entries = limit.table?.entries {
            let value = value(limit.scope[0].name, subject)
            let own = entries.filter { entry in value.map { entry.value.isExactly($0) } ?? false }
            guard own.count == 1 else { return nil }
            maximum = own[0].maximum
        }
        return LimitClaim(
            counter: counter, window: window(limit.window), maximum: maximum, amount: amount)
    }

    private static func scopeText(_ value: FactValue) -> String {
        switch value {
        case .text(let text):
            text.utf8.map { byte in
                let isPlain =
                    (0x21...0x7E).contains(byte) && !"%,=[]".utf8.contains(byte)
                let hex = String(byte, radix: 16)
                return isPlain
                    ? String(Unicode.Scalar(byte)) : "%" + (hex.utf8.count == 1 ? "0" : "") + hex
            }.joined()
        case .integer(let number): String(number)
        case .bool(let bool): "\(bool)"
        case .time(let time): "\(time.seconds)"
        case .bytes(let bytes):
            bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        case .list: ""
        }
    }

    /// Finds the start of a calendar window by going back until the date changes.
    private func window(_ window: PolicyLimit.Window) -> LimitWindow {
        switch window {
        case .sliding(let seconds): return .sliding(seconds: seconds)
        case .ever: return .ever
        case .calendar(let unit, let zone):
            var start = request.time.seconds
            let name = Self.unitName(unit, zone, start)
            func goBack(_ step: Int64) {
                while Self.unitName(unit, zone, start - step) == name { start -= step }
            }
            if unit != .hour, unit != .day { goBack(86_400) }
            // Zone offsets are multiples of a quarter of an hour here, so units begin at one.
            goBack(900)
            goBack(1)
            return .since(Timestamp(seconds: start))
        }
    }

    private static func unitName(_ unit: CalendarUnit, _ zone: Zone, _ seconds: Int64) -> String {
        let local = seconds + zone.offset(at: Timestamp(seconds: seconds))
        let day = Int64((Double(local) / 86_400).rounded(.down))
        let text = Timestamp(seconds: local).utcText
        switch unit {
        // An hour that occurs twice because of a clock change counts as two.
        case .hour: return "\(text.prefix(13)) \(local - seconds)"
        case .day: return String(text.prefix(10))
        case .week: return "\(Int64((Double(day + 3) / 7).rounded(.down)))"
        case .month: return String(text.prefix(7))
        case .year: return String(text.prefix(4))
        }
    }

    private func isOpen(_ schedule: Schedule) -> Bool {
        let local =
            request.time.seconds + schedule.zone.offset(at: request.time)
        let day = Int64((Double(local) / 86_400).rounded(.down))
        let minute = (local - day * 86_400) / 60
        // 1970-01-01 was a Thursday.
        func isDay(_ day: Int64) -> Bool {
            schedule.days.isEmpty || schedule.days.contains(Int((day % 7 + 7 + 3) % 7))
        }
        guard !schedule.hours.isEmpty else { return isDay(day) }
        return schedule.hours.contains { hours in
            let ends = hours.text.split(separator: "-").map { clock in
                let parts = clock.split(separator: ":").compactMap { Int64($0) }
                return parts[0] * 60 + parts[1]
            }
            if ends[0] < ends[1] { return minute >= ends[0] && minute < ends[1] && isDay(day) }
            return (minute >= ends[0] && isDay(day)) || (minute < ends[1] && isDay(day - 1))
        }
    }

    private func matching(_ effect: String, _ subject: RequestedOperation?) -> [PolicyRule] {
        document.rules.filter { rule in
            guard rule.effect.rawValue == effect else { return false }
            let isBehind = request.clock < request.time
            let moment = isBehind && effect != "allow" ? request.clock : request.time
            if let expires = rule.expires, moment >= expires { return false }
            if let schedule = rule.schedule {
                if isBehind, effect == "allow" { return false }
                if !isBehind, !isOpen(schedule) { return false }
            }
            let all = effect == "allow"
            let holds = every(
                rule.conditions.map { truth($0, subject, all: all) }
                    + rule.batch.map { batch($0, all: all) })
            let excepted = some(
                rule.exceptions.map { exception in
                    every(
                        exception.conditions.map { truth($0, subject, all: !all) }
                            + [exception.schedule.map { isBehind ? nil : isOpen($0) } ?? true])
                })
            if effect == "allow" {
                // A rule that allows is about the asset of its limits only.
                let assets = rule.limits.compactMap(\.asset)
                return holds == true && excepted == false
                    && assets.allSatisfy { isAbout($0, subject) == true }
                    && charges(of: rule, 0, subject).count == rule.limits.count
            }
            return holds != false && excepted != true
        }
    }

    /// Whether all operations meet the conditions, or one of them does.
    private func batch(_ condition: BatchCondition, all: Bool) -> Bool? {
        let truths = request.operations.map { operation in
            every(condition.conditions.map { truth($0, operation, all: all) })
        }
        if condition.quantifier == .any { return some(truths) }
        return truths.isEmpty ? nil : every(truths)
    }
}

extension ReferenceEvaluator.Answer {
    package init(_ judgement: Judgement) {
        verdict = judgement.verdict.name
        rules = Set(judgement.verdict.reasons.compactMap(\.rule))
        claims = Set(judgement.claims)
        undecided = judgement.undecided
        demands = Set(judgement.demands.map(\.rule))
        delay = judgement.delay
    }
}
