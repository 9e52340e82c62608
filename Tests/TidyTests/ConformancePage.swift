// SPDX-License-Identifier: Apache-2.0

/// `Docs/Conformance.md`: the features of each document with their states and tests.
struct ConformancePage {
    struct Row {
        let id, section, feature, state, tests: String

        /// The first word of the state; the reason follows it after a colon.
        var kind: String { String(state.prefix { $0 != ":" }) }
    }

    struct Document {
        let title: String
        var sections: [String] = []
        var rows: [Row] = []
    }

    static let kinds = ["works", "partly", "differs", "missing"]

    private(set) var documents: [Document] = []
    /// The lines of the table of counts, by the document's title.
    private(set) var counts: [String: [String]] = [:]
    private var faults: [String] = []

    init(_ text: String) {
        for line in text.split(separator: "\n") {
            if line.hasPrefix("## ") {
                documents.append(Document(title: String(line.dropFirst(3))))
            }
            if line.hasPrefix("Sections: ") { readSections(line) }
            if line.hasPrefix("| ") { readRow(Self.cells(line)) }
        }
    }

    private mutating func readSections(_ line: Substring) {
        guard !documents.isEmpty else { return }
        let list = line.dropFirst("Sections: ".count).split(separator: "; ").map(String.init)
        documents[documents.count - 1].sections = list.enumerated().map { number, item in
            number == list.count - 1 && item.hasSuffix(".") ? String(item.dropLast()) : item
        }
    }

    private mutating func readRow(_ cells: [String]) {
        guard !["document", "row"].contains(cells[0]) else { return }
        guard !documents.isEmpty else {
            counts[cells[0]] = Array(cells.dropFirst())
            return
        }
        guard cells.count == 5 else {
            faults.append("\(cells[0]) has \(cells.count) cells")
            return
        }
        documents[documents.count - 1].rows.append(
            Row(
                id: cells[0], section: cells[1], feature: cells[2], state: cells[3],
                tests: cells[4]))
    }

    private static func cells(_ line: Substring) -> [String] {
        line.dropFirst().dropLast().replacing("\\|", with: "\u{1}")
            .split(separator: "|", omittingEmptySubsequences: false)
            .map { cell in
                let start = cell.drop { $0 == " " }
                return String(start.reversed().drop { $0 == " " }.reversed())
            }
    }

    /// All errors of the page, given the names of the tests that exist.
    func findings(tests: Set<String>) -> [String] {
        var found = faults
        let rows = documents.flatMap(\.rows)
        let repeated = Dictionary(grouping: rows, by: \.id).filter { $0.value.count > 1 }.keys
        found += repeated.sorted().map { "\($0) stands twice" }
        found += rows.flatMap { findings($0, tests) }
        for document in documents { found += findings(document) }
        return found + countFindings(rows)
    }

    private func findings(_ row: Row, _ tests: Set<String>) -> [String] {
        var found: [String] = []
        if row.feature.isEmpty { found.append("\(row.id) names no feature") }
        if !Self.kinds.contains(row.kind) { found.append("\(row.id): no state \(row.state)") }
        let hasReason = row.state.contains(": ")
        if hasReason == (row.kind == "works") {
            found.append("\(row.id): all states but works have a reason")
        }
        let named = row.tests.isEmpty ? [] : row.tests.split(separator: ", ").map(String.init)
        if named.isEmpty, ["works", "partly"].contains(row.kind) {
            found.append("\(row.id) names no test")
        }
        for name in named {
            let isQuoted = name.count > 2 && name.hasPrefix("`") && name.hasSuffix("`")
            guard isQuoted, tests.contains(String(name.dropFirst().dropLast())) else {
                found.append("\(row.id): there is no test \(name)")
                continue
            }
        }
        return found
    }

    private func findings(_ document: Document) -> [String] {
        func isNamed(_ section: String, _ item: String) -> Bool {
            item == section || item.hasPrefix(section + " ") || item.hasPrefix(section + ": ")
        }
        let strange = document.rows.filter { row in
            !document.sections.contains { isNamed(row.section, $0) }
        }
        let empty = document.sections.filter { item in
            !document.rows.contains { isNamed($0.section, item) }
        }
        return (document.rows.isEmpty ? ["\(document.title) has no rows"] : [])
            + strange.map { "\($0.id): there is no section \($0.section)" }
            + empty.map { "\(document.title): no row for section \($0)" }
    }

    private func countFindings(_ rows: [Row]) -> [String] {
        var expected = Dictionary(
            documents.map { ($0.title, Self.count($0.rows)) }, uniquingKeysWith: { $1 })
        expected["all"] = Self.count(rows)
        return expected.keys.sorted().filter { counts[$0] != expected[$0] }
            .map { "the counts of \($0) are \(expected[$0] ?? [])" }
            + counts.keys.sorted().filter { expected[$0] == nil }
            .map { "there is no document \($0)" }
    }

    private static func count(_ rows: [Row]) -> [String] {
        ([rows.count] + kinds.map { kind in rows.count { $0.kind == kind } }).map(String.init)
    }
}
