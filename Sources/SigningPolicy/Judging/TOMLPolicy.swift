// SPDX-License-Identifier: Apache-2.0
public import SigningCore

/// The policy in force: the rules of one policy file.
public struct TOMLPolicy: Policy, Sendable {
    /// The largest policy file, in bytes.
    public static let fileBytesMax = 4 << 20

    /// The parsed policy file.
    public let document: PolicyDocument
    /// SHA-256 of the document's canonical JSON.
    public let hash: [UInt8]
    /// Warnings about rules that are probably mistakes.
    public let findings: [Diagnostic]

    package let fileName: String
    package let vocabulary: PolicyVocabulary
    /// The compiled rules, sorted by id.
    let rules: [CompiledRule]
    let hasDelays: Bool
    let slots: FactSlots
    let index: RuleIndex
    /// The reason for an operation that no rule covers.
    let uncovered: Reason

    /// Parses and checks a policy file; throws all its errors at once.
    ///
    /// `fileName` is the name of the file in findings. Rules that have expired at `now` yield
    /// findings. `sha256` computes the 32-byte digest of the canonical form. With `isInForce`, the
    /// owner attested the policy before: checks that were added later only yield warnings.
    public static func load(
        _ bytes: Span<UInt8>, fileName: String, schemas: [FactSchema], at now: Timestamp,
        isInForce: Bool = false, sha256: (Span<UInt8>) -> [UInt8]
    ) throws(PolicyLoadError) -> TOMLPolicy {
        let vocabulary = PolicyVocabulary(schemas: schemas)
        var reader = PolicyReader(
            vocabulary: vocabulary, file: fileName, now: now, isInForce: isInForce)
        if let root = tree(of: bytes, &reader.report), let document = reader.read(root) {
            return TOMLPolicy(
                document, hash: sha256(document.canonicalJSON.utf8CodeUnits.span),
                findings: reader.report.diagnostics, fileName: fileName, vocabulary: vocabulary)
        }
        throw PolicyLoadError(diagnostics: reader.report.diagnostics)
    }

    private static func tree(
        of bytes: Span<UInt8>, _ report: inout DiagnosticReport
    ) -> [TOMLNode]? {
        guard bytes.count <= fileBytesMax else {
            report.error(
                .tooMuch, "the file has \(bytes.count) bytes; at most \(fileBytesMax) are allowed",
                at: .start)
            return nil
        }
        do throws(TOMLError) {
            return try TOMLNode.parse(bytes)
        } catch {
            report.error(error.code, error.message, at: error.position)
            return nil
        }
    }

    /// This policy with other rules, for tools; the hash stays that of the old rules.
    package func with(_ document: PolicyDocument) -> TOMLPolicy {
        TOMLPolicy(
            document, hash: hash, findings: findings, fileName: fileName, vocabulary: vocabulary)
    }

    private init(
        _ document: PolicyDocument, hash: [UInt8], findings: [Diagnostic], fileName: String,
        vocabulary: PolicyVocabulary
    ) {
        self.document = document
        self.hash = hash
        self.findings = findings
        self.fileName = fileName
        self.vocabulary = vocabulary
        let slots = FactSlots(for: document.rules)
        rules = document.rules.map { CompiledRule($0, in: slots) }
        hasDelays = document.rules.contains { $0.delay > 0 }
        self.slots = slots
        index = RuleIndex(rules, schemas: vocabulary.schemas)
        let verb = document.fallback == .deny ? "deny" : "ask"
        uncovered = Reason(.policyDenied, "no rule covers this; the default is to \(verb)")
    }

    /// Every limit with its rule's id, sorted by rule id, after those of the budgets.
    package var limits: [(owner: String, limit: CompiledLimit)] {
        let ofBudgets = document.budgets.flatMap { budget in
            budget.limits.map {
                CompiledLimit($0, of: budget.name, budget: budget, in: slots)
            }
        }
        return ofBudgets.map { ("budget \($0.budget?.name ?? "")", $0) }
            + rules.flatMap { rule in
                rule.limits.filter { $0.budget == nil }.map { (rule.rule.id, $0) }
            }
    }

    /// The public key of an approver, 32 bytes; nil if the name is unknown.
    public func approverKey(named name: String) -> [UInt8]? { document.approvers[name] }

    /// The owner's acts that need the consent of several approvers.
    public var governance: Governance { document.governance }

    /// The demands for approvers, by rule and by budget.
    public var demands: [ApproverDemand] {
        document.rules.compactMap(\.demand) + document.budgets.compactMap(\.demand)
    }

    /// Whether an adapter's schema declares the fact.
    public func understands(_ fact: Fact, of protocolID: ProtocolID) -> Bool {
        vocabulary.declares(fact.name, of: protocolID)
    }

    /// Judges a request; the reasons are those of the strongest verdict.
    public func judge(
        _ request: JudgedRequest, usage: some LimitUsage
    ) throws(LedgerError) -> Judgement {
        try decide(request, usage: usage).judgement
    }
}

extension String {
    /// The text in UTF-8.
    var utf8CodeUnits: [UInt8] { Array(utf8) }
}
