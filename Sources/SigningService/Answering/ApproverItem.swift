// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningStorage

/// A question to several people, and how it stands.
package struct ApproverItem: Hashable, Sendable {
    /// How far one of its rules has come.
    package struct Progress: Hashable, Sendable {
        /// What the rule asks.
        package let demand: ApproverDemand
        /// How many of those said yes whose yes counts.
        package let yeses: Int
        /// How many more it takes.
        package var missing: Int { demand.minimum > yeses ? demand.minimum - yeses : 0 }
    }

    /// SHA-256 of the question's bytes, by which answers name it.
    package let digest: [UInt8]
    package let question: JointQuestion
    /// The team in whose record it lies, as `team 1, db.example:5432/sign`; nil where it is the
    /// home's own.
    package let team: String?
    /// Rule by rule.
    package let progress: [Progress]
    /// Who has answered, and whether it was yes; sorted by name.
    package let said: [(name: String, isYes: Bool)]
    /// The approver keys of this home that may still say no, and those that may say yes as well.
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
        let counted = waiting.answers.filter { question.fault(of: $0, by: check) == nil }
        progress = question.demands.map { demand in
            let keys = Set(demand.counted(besides: question.ownKeys + own).map(\.key))
            return Progress(
                demand: demand, yeses: counted.count { $0.isYes && keys.contains($0.publicKey) })
        }
        said = counted.map { (question.name(of: $0.publicKey) ?? "", $0.isYes) }
            .sorted { $0.0 < $1.0 }
        let open = keys.filter { key in
            !waiting.answers.contains { $0.publicKey == key.publicKey }
        }
        func names(_ isYes: Bool) -> [String] {
            open.filter {
                question.fault(
                    ofSaying: isYes, by: $0.publicKey, retired: retired, own: own) == nil
            }.map(\.name)
        }
        mayDeny = names(false)
        mayApprove = names(true)
    }

    package static func == (one: Self, other: Self) -> Bool {
        one.digest == other.digest && one.standing == other.standing
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}

// MARK: In words

extension ApproverItem {
    /// How far it has come, such as `1 of 2`.
    package var progressText: String {
        progress.map { "\($0.yeses) of \($0.demand.minimum)" }.joined(separator: ", ")
    }

    /// Whom each rule asks, such as `pay: 2 of alice, bob`.
    package var asksText: String {
        VisibleText.escaped(
            question.demands.map { "\($0.rule): \($0.text)" }.joined(separator: "; "))
    }

    /// In one line, to tell it from others: the beginning of its words.
    package var headline: String {
        VisibleText.escaped(
            String(question.text.prefix { $0 != "\n" }), countMax: Self.headlineMax)
    }

    /// The most characters of a headline.
    private static let headlineMax = 200

    /// Who said what, how many are missing, until when, and who may answer here.
    package var standing: String {
        var rows = ["approvers:"]
        if let team { rows.append("  record    \(team)") }
        for part in progress {
            let missing = part.missing == 0 ? "" : ", \(part.missing) missing"
            let asks = VisibleText.escaped("\(part.demand.rule): \(part.demand.text)")
            rows.append("  rule      \(asks)")
            rows.append("  so far    \(part.yeses) of \(part.demand.minimum) said yes\(missing)")
        }
        rows += said.map { name, isYes in
            "  answered  \(VisibleText.escaped(name)): \(isYes ? "yes" : "no")"
        }
        rows.append("  until     \(question.binding.expires.utcText)")
        rows += mayApprove.map { "  here      \($0) may say yes or no" }
        rows += mayDeny.filter { !mayApprove.contains($0) }.map {
            "  here      \($0) may say no: nobody approves what was asked of the own home"
        }
        if mayDeny.isEmpty { rows.append("  here      no key of this home can answer") }
        return rows.joined(separator: "\n")
    }

    /// All of it: the words of the home that asks, and below them what a yes is bound to, as this
    /// machine reads it.
    package func whole(at now: Timestamp) -> String {
        Self.whole(question, digest, at: now)
    }

    /// The same of a question that came as a file.
    package static func whole(
        _ question: JointQuestion, _ digest: [UInt8], at now: Timestamp
    ) -> String {
        let binding = question.binding
        var rows = question.text.markedLines
        rows += ["", "what a yes is bound to:"]
        rows.append("  question  \(digest.hexText)")
        rows.append("  request   sha256 \(binding.requestDigest.hexText)")
        rows.append("  policy    sha256 \(binding.policyHash.hexText)")
        rows += binding.keys.map { "  key       \(VisibleText.escaped($0.text))" }
        let label = question.isGovernance ? "does    " : "leaves  "
        if !question.isOfOneKind {
            rows.append("  BEWARE    it poses as a request or an act, and is neither: say no")
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
