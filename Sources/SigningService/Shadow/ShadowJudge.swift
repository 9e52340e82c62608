// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import SigningCore
internal import SigningFiles
internal import SigningPolicy
internal import SigningWires
internal import Synchronization

/// Judges answered requests by the shadow policy of a home, after their answers.
///
/// It runs on a thread that answers no request. An error of it changes no answer.
final class ShadowJudge: Sendable {
    /// A request with the verdict of the policy in force.
    struct Judged: Sendable {
        let request: JudgedRequest
        let judgement: Judgement
    }

    /// A judged request that was answered.
    private struct Answered: Sendable {
        let judged: Judged
        let usage: ShadowUsage
        let adapters: AdapterSet
    }

    private struct Queue {
        var waiting: [Answered] = []
        var skipped = 0
        var hasThread = false
    }

    /// A file that is open, with its policy in the form that judges.
    private struct Opened {
        let file: ShadowFile
        /// The policy; nil if it has ended.
        let policy: TOMLPolicy?
        /// The words that rules could use, which the settings of the home can change.
        let schemas: [FactSchema]
    }

    /// The most requests that wait; further ones are only counted.
    static let waitingMax = 1_000

    private let home: Home
    private let queue = Mutex(Queue())
    /// Held by the thread that judges.
    private let opened = Mutex<Opened?>(nil)

    init(of home: Home) { self.home = home }

    /// Whether the home has a shadow policy.
    var isOn: Bool { ShadowFile.isThere(in: home) }

    /// Judges an answered request soon.
    ///
    /// `ledger` has the counters; `wasCharged` tells whether the request's own uses are in them.
    func add(
        _ judged: Judged, wasCharged: Bool, in ledger: any Ledger, over adapters: AdapterSet
    ) {
        let own = wasCharged ? judged.judgement.claims : []
        let answered = Answered(
            judged: judged,
            usage: ShadowUsage(ledger: ledger, own: own, since: judged.request.time),
            adapters: adapters)
        let mustStart = queue.withLock { queue in
            guard queue.waiting.count < Self.waitingMax else {
                queue.skipped += 1
                return false
            }
            queue.waiting.append(answered)
            defer { queue.hasThread = true }
            return !queue.hasThread
        }
        guard mustStart else { return }
        DispatchQueue.global(qos: .utility).async { self.judgeWaiting() }
    }

    /// Judges all requests that wait, and returns when this is done.
    func judgeWaiting() {
        opened.withLock { opened in
            while let (batch, skipped) = take() {
                do throws(ShadowError) {
                    try judge(batch, skipped, &opened)
                } catch {
                    // The file was deleted or replaced, or is damaged: these requests are not
                    // judged, and the next ones by the file that is there then.
                    opened = nil
                }
            }
        }
    }

    private func take() -> (batch: [Answered], skipped: Int)? {
        queue.withLock { queue in
            guard !queue.waiting.isEmpty else {
                queue.hasThread = false
                return nil
            }
            defer { (queue.waiting, queue.skipped) = ([], 0) }
            return (queue.waiting, queue.skipped)
        }
    }

    private func judge(
        _ batch: [Answered], _ skipped: Int, _ opened: inout Opened?
    ) throws(ShadowError) {
        guard isOn, let adapters = batch.last?.adapters else { return opened = nil }
        let isCurrent =
            opened.map { $0.file.isInPlace && $0.schemas.areSame(as: adapters.schemas) } ?? false
        if !isCurrent { opened = try open(adapters) }
        guard let current = opened, let policy = current.policy else { return }
        var (differences, judged): ([ShadowDifference], Int) = ([], 0)
        for answered in batch {
            let (request, before) = (answered.judged.request, answered.judged.judgement)
            guard let after = try? answered.usage.judged(request, by: policy, beside: before)
            else { continue }
            judged += 1
            if let difference = ShadowDifference(request, before, after) {
                differences.append(difference)
            }
        }
        try current.file.add(
            differences, judged: judged, skipped: skipped + batch.count - judged)
    }

    /// Opens the file; a text that is no usable policy ends the shadow policy.
    private func open(_ adapters: AdapterSet) throws(ShadowError) -> Opened? {
        let file = try ShadowFile(of: home)
        guard let state = try file.state() else { return nil }
        let policy = state.ended == nil ? state.policy(adapters) : nil
        if policy == nil, state.ended == nil {
            try file.end("its text is not the policy that was started, or cannot be read any more")
        }
        return Opened(file: file, policy: policy, schemas: adapters.schemas)
    }
}

extension [FactSchema] {
    fileprivate func areSame(as others: [FactSchema]) -> Bool {
        count == others.count && zip(self, others).allSatisfy { $0.isSame(as: $1) }
    }
}

/// The last judgement on a request: the one that decided.
///
/// A request is judged again after a wait for a person, and before that for each account that it
/// may mean.
final class LastJudgement: Sendable {
    private let kept = Mutex<ShadowJudge.Judged?>(nil)

    /// The last judgement; nil if the request was not judged.
    var last: ShadowJudge.Judged? { kept.withLock { $0 } }

    /// Keeps a judgement in place of an earlier one.
    var keeper: @Sendable (JudgedRequest, Judgement) -> Void {
        { request, judgement in
            self.kept.withLock { $0 = ShadowJudge.Judged(request: request, judgement: judgement) }
        }
    }
}

/// The counters of a record without the uses of one request.
private struct ShadowUsage: LimitUsage {
    let ledger: any Ledger
    /// The claims of the request, if they are in the counters.
    let own: [LimitClaim]
    /// The time of the request; it cannot have made a counterparty known before.
    let since: Timestamp

    /// The counterparties that may be known although the record does not say since when.
    var known: Set<Counterparty> = []

    /// The judgement; nil if it depends on first uses that are not on record.
    ///
    /// First uses are recorded for the fields that the policy in force names.
    func judged(
        _ request: JudgedRequest, by policy: TOMLPolicy, beside before: Judgement
    ) throws(LedgerError) -> Judgement? {
        let after = try policy.judge(request, usage: self)
        var other = self
        other.known = Set(after.newCounterparties).subtracting(before.newCounterparties)
        guard !other.known.isEmpty else { return after }
        return try policy.judge(request, usage: other).words == after.words ? after : nil
    }

    func used(_ claim: LimitClaim, at now: Timestamp) throws(LedgerError) -> Int128 {
        let used = try ledger.used(claim, at: now)
        // As the ledger charges: the largest of the sums for the windows of a counter.
        let charged =
            Dictionary(grouping: own.filter { $0.counter == claim.counter }, by: \.window)
            .values.map { $0.reduce(Int128(0)) { $0 &+ max(0, $1.amount) } }.max() ?? 0
        return max(0, used - max(0, min(used, charged)))
    }

    func usedByName(_ claim: LimitClaim, at now: Timestamp) throws(LedgerError) -> Int128 {
        try ledger.usedByName(claim, at: now)
    }

    func firstUse(of counterparty: Counterparty) throws(LedgerError) -> FirstUse {
        if known.contains(counterparty) { return .at(Timestamp(seconds: .min)) }
        let found = try ledger.firstUse(of: counterparty)
        if case .at(let time) = found, time >= since { return .never }
        return found
    }
}
