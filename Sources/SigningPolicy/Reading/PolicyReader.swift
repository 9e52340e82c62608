// SPDX-License-Identifier: Apache-2.0
import SigningCore

/// Reads a document from a TOML tree and reports all its errors.
///
/// The functions here never throw: a part that cannot be read is reported and left out, so that one
/// run finds all mistakes.
struct PolicyReader {
    /// The most rules in one file.
    static let ruleCountMax = 10_000

    let vocabulary: PolicyVocabulary
    /// The moment at which rules are checked for expiry.
    let now: Timestamp
    /// True if the policy was attested before: errors that were added later are not errors for it.
    let isInForce: Bool
    /// The version of the format; the newest until the file's version is read.
    private(set) var version = PolicyDocument.versions.upperBound
    var report: DiagnosticReport
    var sets: [String: PolicySet] = [:]
    var usedSets: Set<String> = []
    /// The public keys of the approvers, by name.
    var approvers: [String: [UInt8]] = [:]
    var approverPositions: [String: SourcePosition] = [:]
    var usedApprovers: Set<String> = []
    var governance: [Governance.Act: ApproverDemand] = [:]
    var budgets: [String: PolicyBudget] = [:]
    var budgetNames: Set<String> = []
    var usedBudgets: Set<String> = []
    var assets: [String: PolicyAsset] = [:]
    var assetPositions: [String: SourcePosition] = [:]
    var usedAssets: Set<String> = []
    /// The assets that the amounts of the conditions that are being read name.
    var namedAssets: [(asset: PolicyAsset, position: SourcePosition)] = []
    /// The token that each budget without a named asset counts, by its first rule.
    var budgetAssets: [String: [ExactValue]] = [:]
    var setGroups: [SetUse: SetValues] = [:]
    var setValueCount = 0
    var zones: [String: Zone] = [:]
    var patternCount = 0
    private var fallback: RuleEffect?
    private var rules: [PolicyRule] = []

    init(
        vocabulary: PolicyVocabulary, file: String, now: Timestamp, isInForce: Bool = false
    ) {
        self.vocabulary = vocabulary
        self.now = now
        self.isInForce = isInForce
        report = DiagnosticReport(file: file)
    }

    /// Returns the document; nil if the report contains an error.
    mutating func read(_ root: [TOMLNode]) -> PolicyDocument? {
        readHead(root)
        // Rules may use sets that follow them in the file, so sets are read first.
        for node in root where node.key == "set" { readSets(node) }
        for node in root where node.key == "approvers" { readApprovers(node) }
        for node in root where node.key == "governance" { readGovernance(node) }
        for node in root where node.key == "asset" { readAssets(node) }
        for node in root where node.key == "budget" { readBudgets(node) }
        for node in root where node.key == "rule" { readRules(node) }
        checkNames(of: rules)
        let tests = root.filter { $0.key == "test" }.flatMap { readTests($0, of: rules) }
        let accounts = root.filter { $0.key == "test_account" }.flatMap { readTestAccounts($0) }
        let assertions = root.filter { $0.key == "never" }.flatMap { readAssertions($0) }
        guard !report.hasErrors, let fallback else { return nil }
        warnOfUnusedSets()
        warnOfUnusedApprovers()
        warnOfUnusedAssets()
        return PolicyDocument(
            version: version, fallback: fallback, approvers: approvers,
            governance: Governance(governance),
            sets: sets.values.sorted { $0.name < $1.name },
            assets: assets.values.sorted { $0.name < $1.name },
            budgets: budgets.values.sorted { $0.name < $1.name },
            rules: rules.sorted { $0.id < $1.id },
            assertions: assertions.sorted { $0.id < $1.id }, tests: tests, testAccounts: accounts)
    }

    private mutating func readHead(_ root: [TOMLNode]) {
        let keys = [
            "version", "default", "set", "approvers", "governance", "asset", "budget", "rule",
            "test", "test_account", "never",
        ]
        for node in root {
            switch node.key {
            case "version": readVersion(node)
            case "default": readDefault(node)
            case let key where keys.contains(key): break
            default:
                report.error(
                    .unknownKey, "unknown key \(quoted(node.key))", at: node.keyPosition,
                    suggestion: Suggestion.closest(to: node.key, among: keys))
            }
        }
        if !root.contains(where: { $0.key == "version" }) {
            report.error(
                .version, "the file must say version = \(version)", at: .start)
        }
        if !root.contains(where: { $0.key == "default" }) {
            report.error(
                .defaultVerdict, "the file must say default = \"ask\" or default = \"deny\"",
                at: .start)
        }
    }

    private mutating func readVersion(_ node: TOMLNode) {
        guard case .integer(let number) = node.value, PolicyDocument.versions.contains(number)
        else {
            report.error(
                .version, "unknown version; write version = \(version)", at: node.position)
            return
        }
        version = number
    }

    private mutating func readDefault(_ node: TOMLNode) {
        switch node.value {
        case .text("ask"): fallback = .ask
        case .text("deny"): fallback = .deny
        case .text("allow"):
            report.error(
                .defaultVerdict,
                "default = \"allow\" is refused: nothing is allowed without a rule",
                at: node.position)
        default:
            report.error(.defaultVerdict, "default must be \"ask\" or \"deny\"", at: node.position)
        }
    }

    private mutating func readRules(_ node: TOMLNode) {
        let read = readTables(node, countMax: Self.ruleCountMax).compactMap { readRule($0) }
        rules += unique(read) { $0 }
    }

    /// The parts whose ids are new; the others are reported.
    mutating func unique<Part>(_ parts: [Part], by rule: (Part) -> PolicyRule) -> [Part] {
        var lines: [String: Int] = [:]
        return parts.filter { part in
            let (id, position) = (rule(part).id, rule(part).position)
            guard let line = lines[id] else {
                lines[id] = position.line
                return true
            }
            report.error(.duplicateRule, "line \(line) has the id \"\(id)\" already", at: position)
            return false
        }
    }

    private mutating func warnOfUnusedSets() {
        for set in sets.values where !usedSets.contains(set.name) {
            report.warn(.unusedSet, "no rule uses the set \"\(set.name)\"", at: set.position)
        }
    }

    /// A word of the file, quoted so that it is safe to show.
    func quoted(_ word: String) -> String {
        "\"\(VisibleText.quotable(word, countMax: Self.shownWordMax))\""
    }

    private static let shownWordMax = 100
}
