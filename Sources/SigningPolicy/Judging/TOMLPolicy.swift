// SPDX-License-Identifier: Apache-2.0
public import SigningCore

/// The rules of one policy file, in force.
public struct TOMLPolicy: Policy, Sendable {
    /// The largest policy file, in bytes.
    public static let fileBytesMax = 4 << 20

    /// The rules as they were read.
    public let document: PolicyDocument
    /// SHA-256 of the document's canonical JSON.
    public let hash: [UInt8]
    /// Warnings about rules that are probably not what was meant.
    public let findings: [Diagnostic]

    package let fileName: String
    package let vocabulary: PolicyVocabulary
    /// Sorted by id.
    let rules: [CompiledRule]
    let slots: FactSlots
    let index: RuleIndex
    /// Said where no rule covers an operation.
    let uncovered: Reason

    /// Reads and checks a policy file; all that is wrong with it is thrown at once.
    ///
    /// `fileName` is how findings name the file. Rules that have expired at `now` are found.
    /// `sha256` gives the 32-byte digest of the canonical form. A policy that `isInForce` already
    /// loads as it did when it was attested: errors that are newer than it are warnings.
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
                .tooMuch, "the file has \(bytes.count) bytes; \(fileBytesMax) are the most",
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

    /// The same policy with other rules, for tools; its hash is not that of its rules.
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
        self.slots = slots
        index = RuleIndex(rules, schemas: vocabulary.schemas)
        let verb = document.fallback == .deny ? "deny" : "ask"
        uncovered = Reason(.policyDenied, "no rule covers this; the default is to \(verb)")
    }

    /// Every limit with its rule's id, by id.
    package var limits: [(rule: String, limit: CompiledLimit)] {
        rules.flatMap { rule in rule.limits.map { (rule.rule.id, $0) } }
    }

    /// The public key of an approver, 32 bytes; nil where none has the name.
    public func approverKey(named name: String) -> [UInt8]? { document.approvers[name] }

    /// What several people have to say yes to where the owner acts.
    public var governance: Governance { document.governance }

    /// What rules ask of several people, by rule.
    public var demands: [ApproverDemand] { document.rules.compactMap(\.demand) }

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
