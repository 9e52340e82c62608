// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningStorage
internal import SigningVault

/// A question to several people, with its state.
package struct ApproverItem: Hashable, Sendable {
    /// The progress of one of its rules.
    package struct Progress: Hashable, Sendable {
        /// The rule's demand.
        package let demand: ApproverDemand
        /// The number of yeses that count.
        package let yeses: Int
        /// The number of yeses that are missing.
        package var missing: Int { demand.minimum > yeses ? demand.minimum - yeses : 0 }
    }

    /// SHA-256 of the question's bytes; answers name the question by it.
    package let digest: [UInt8]
    package let question: JointQuestion
    /// The team whose record contains the question, such as `team 1, db.example:5432/sign`; nil for
    /// the home's own record.
    package let team: String?
    /// The progress of each rule.
    package let progress: [Progress]
    /// The answers so far, sorted by name.
    package let answers: [(name: String, isYes: Bool)]
    /// The approver keys of this home that may still deny; `mayApprove` holds those that may also
    /// approve.
    package let mayDeny: [String]
    package let mayApprove: [String]

    init(
        _ waiting: WaitingJointQuestion, of team: JoinedTeam?, retired: Set<[UInt8]>,
        own: Set<[UInt8]> = [], keys: [ApproverKey], at now: Timestamp
    ) {
        self.team = team.map {
            "team \($0.number), \(VisibleText.escaped($0.sharing.serverText))"
        }
        let question = waiting.question
        digest = waiting.digest
        self.question = question
        let check = JointCheck(question, retired: retired, own: own, at: now)
        let counted = waiting.answers.filter { question.refusal(of: $0, by: check) == nil }
        progress = question.demands.map { demand in
            let keys = Set(demand.counted(besides: question.ownKeys + own).map(\.key))
            return Progress(
                demand: demand, yeses: counted.count { $0.isYes && keys.contains($0.publicKey) })
        }
        answers = counted.map { (question.name(of: $0.publicKey) ?? "", $0.isYes) }
            .sorted { $0.0 < $1.0 }
        let open = keys.filter { key in
            !waiting.answers.contains { $0.publicKey == key.publicKey }
        }
        func names(_ isYes: Bool) -> [String] {
            open.filter {
                question.refusal(
                    ofSaying: isYes, by: $0.publicKey, retired: retired, own: own) == nil
            }.map(\.name)
        }
        mayDeny = names(false)
        mayApprove = names(true)
    }

    package static func == (one: Self, other: Self) -> Bool {
        one.digest == other.digest && one.stateText == other.stateText
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}

// MARK: In words

extension ApproverItem {
    /// The progress in short, such as `1 of 2`.
    package var progressText: String {
        progress.map { "\($0.yeses) of \($0.demand.minimum)" }.joined(separator: ", ")
    }

    /// The people that each rule asks, such as `pay: 2 of alice, bob`.
    package var asksText: String {
        VisibleText.escaped(
            question.demands.map { "\($0.rule): \($0.text)" }.joined(separator: "; "))
    }

    /// The beginning of its text in one line, for lists.
    package var headline: String {
        VisibleText.escaped(
            String(question.text.prefix { $0 != "\n" }), countMax: Self.headlineMax)
    }

    /// The most characters of a headline.
    private static let headlineMax = 200

    /// The answers, the missing number, the end, and the keys that may answer here.
    package var stateText: String {
        var rows = ["approvers:"]
        if let team { rows.append("  record    \(team)") }
        for part in progress {
            let missing = part.missing == 0 ? "" : ", \(part.missing) missing"
            let asks = VisibleText.escaped("\(part.demand.rule): \(part.demand.text)")
            rows.append("  rule      \(asks)")
            rows.append("  so far    \(part.yeses) of \(part.demand.minimum) said yes\(missing)")
        }
        rows += answers.map { name, isYes in
            "  answered  \(VisibleText.escaped(name)): \(isYes ? "yes" : "no")"
        }
        rows.append("  until     \(question.binding.expires.utcText)")
        rows += mayApprove.map { "  here      \($0) may say yes or no" }
        rows += mayDeny.filter { !mayApprove.contains($0) }.map {
            "  here      \($0) may only say no: the home that sent a request cannot approve it"
        }
        if mayDeny.isEmpty { rows.append("  here      no key of this home can answer") }
        return rows.joined(separator: "\n")
    }

    /// Returns the full text: the words of the asking home, then the values that a yes is bound to.
    ///
    /// This machine derives the values itself.
    package func whole(at now: Timestamp) -> String {
        Self.whole(question, digest, at: now)
    }

    /// Returns the full text of a question that came as a file.
    package static func whole(
        _ question: JointQuestion, _ digest: [UInt8], at now: Timestamp
    ) -> String {
        let binding = question.binding
        var rows = question.text.markedLines
        rows += ["", "a yes is valid only for:"]
        rows.append("  question  \(digest.hexText)")
        rows.append("  request   sha256 \(binding.requestDigest.hexText)")
        rows.append("  policy    sha256 \(binding.policyHash.hexText)")
        rows += binding.keys.map { "  key       \(VisibleText.escaped($0.text))" }
        let label = question.isGovernance ? "does    " : "leaves  "
        if !question.isOfOneKind {
            rows.append(
                "  BEWARE    this is neither a request nor an act, but pretends to be one: say no")
        }
        rows += question.totals.map { "  \(label)  \(VisibleText.escaped($0))" }
        rows += question.demands.map {
            "  rule      " + VisibleText.escaped("\($0.rule): \($0.text)")
        }
        rows.append(
            "  until     \(binding.expires.utcText)" + (now <= binding.expires ? "" : ", expired"))
        return rows.joined(separator: "\n")
    }
}
