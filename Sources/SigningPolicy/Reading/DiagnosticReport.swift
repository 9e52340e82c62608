// SPDX-License-Identifier: Apache-2.0

/// The kind of a finding; the raw value is its stable code.
enum DiagnosticCode: String {
    case syntax = "P0100"
    case tooMuch = "P0101"
    case version = "P0102"
    case defaultVerdict = "P0103"
    case unknownKey = "P0110"
    case wrongShape = "P0111"
    case missingKey = "P0112"
    case ruleID = "P0120"
    case duplicateRule = "P0121"
    case effect = "P0122"
    case unknownField = "P0123"
    case needsProtocol = "P0124"
    case unknownName = "P0125"
    case unknownMatcher = "P0126"
    case wrongMatcher = "P0127"
    case wrongValue = "P0128"
    case set = "P0129"
    case limit = "P0130"
    case notHere = "P0131"
    case time = "P0132"
    case test = "P0133"
    case approvers = "P0134"
    case openBudget = "P0135"
    case budget = "P0136"
    case asset = "P0137"
    case mixedAssets = "P0138"
    case expired = "P0201"
    case unusedSet = "P0202"
    case overWide = "P0203"
    case listReading = "P0207"
    case minuteOrMonth = "P0208"
    case chosenBudget = "P0209"
    case noSuchPart = "P0211"
    case describedOnly = "P0212"
    case unusedApprover = "P0213"
    case unusedBudget = "P0217"
    case unusedAsset = "P0219"
    case mixedAssetsInForce = "P0220"
}

/// Collects the findings of one file without duplicates.
struct DiagnosticReport {
    /// The most findings one run reports.
    static let countMax = 1_000

    let file: String
    private(set) var hasErrors = false
    private var found: Set<Diagnostic> = []

    init(file: String) { self.file = file }

    /// All findings in the order of the file.
    var diagnostics: [Diagnostic] {
        found.sorted { left, right in
            (left.line, left.column, left.code, left.message)
                < (right.line, right.column, right.code, right.message)
        }
    }

    mutating func error(
        _ code: DiagnosticCode, _ message: String, at position: SourcePosition,
        suggestion: String? = nil
    ) {
        hasErrors = true
        add(.error, code, message, position, suggestion)
    }

    mutating func warn(_ code: DiagnosticCode, _ message: String, at position: SourcePosition) {
        add(.warning, code, message, position, nil)
    }

    private mutating func add(
        _ severity: Diagnostic.Severity, _ code: DiagnosticCode, _ message: String,
        _ position: SourcePosition, _ suggestion: String?
    ) {
        guard found.count < Self.countMax else { return }
        found.insert(
            Diagnostic(
                severity: severity, code: code.rawValue, message: message, file: file,
                line: position.line, column: position.column, suggestion: suggestion))
    }
}
