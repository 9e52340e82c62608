// SPDX-License-Identifier: Apache-2.0

/// The imports of each target, as `Docs/Architecture.md` lists them and as `Package.swift` has
/// them; a target is named by its folder.
enum TargetTable {
    /// The rows of all tables under "Targets".
    static let documented = rows(of: Tree.read("Docs/Architecture.md"), under: "## Targets")
    /// The dependencies of all targets but libraries and tests.
    static let declared: [String: Set<String>] = entries(of: Tree.read("Package.swift"))
    /// The rows of the table under "Clients".
    static let documentedClients = rows(of: Tree.read("Docs/Architecture.md"), under: "## Clients")
    /// The dependencies of the libraries of `Clients/Package.swift` in the package of the signer.
    static let declaredClients = clients(of: Tree.read("Clients/Package.swift"))

    private static func clients(of manifest: Tree.File?) -> [String: Set<String>] {
        let text = manifest?.text ?? ""
        let matches = text.matches(of: /\bclient\(\s*"(\w+)",\s*\[([^\]]*)\]/)
        return Dictionary(
            matches.map { (String($0.1), Set(quoted(by: "\"", in: $0.2))) },
            uniquingKeysWith: { first, _ in first })
    }

    private static func rows(
        of page: Tree.File?, under heading: String
    ) -> [String: Set<String>] {
        var found: [String: Set<String>] = [:]
        let lines = page?.lines.drop { $0 != heading }.dropFirst() ?? []
        for line in lines.prefix(while: { !$0.hasPrefix("## ") }) where line.hasPrefix("| `") {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
            guard cells.count == 5 else { continue }
            var imports = Set(quoted(by: "`", in: cells[3]))
            // "all targets above but A, B; C" is all but A and B, and C besides.
            if cells[3].contains("all targets above") {
                let parts = cells[3].split(separator: ";")
                imports = Set(found.keys).subtracting(quoted(by: "`", in: parts[0]))
                    .union(parts.dropFirst().flatMap { quoted(by: "`", in: $0) })
            }
            for name in quoted(by: "`", in: cells[1]) { found[name] = imports }
        }
        return found
    }

    private static func entries(of manifest: Tree.File?) -> [String: Set<String>] {
        guard let text = manifest?.text, let start = text.firstRange(of: "let modules"),
            let end = text.firstRange(of: "let suites")
        else { return [:] }
        let wires = text.matches(of: /\(name: "(\w+)", chain: "(\w+)"\)/).map { ($0.1, $0.2) }
        let ofWires = between("wire.name,", and: "])", in: text)
        let ofChains = between("func chain(", and: "path:", in: text)
        var found: [String: Set<String>] = [:]
        for (name, chain) in wires {
            found[String(name)] = Set(quoted(by: "\"", in: ofWires)).union([String(chain)])
            found[String(chain)] = Set(quoted(by: "\"", in: ofChains))
        }
        for match in text.matches(of: /"(\w+)": "(\w+Messages)"/) {
            found[String(match.1), default: []].insert(String(match.2))
        }
        let region = text[start.lowerBound..<end.lowerBound]
        let opening = /(?:module|courier|plugin|\.target|\.executableTarget)\(\s*(?:name: )?"(\w+)"/
        let matches = region.matches(of: opening)
        for (number, match) in matches.enumerated() {
            let next =
                number + 1 < matches.count ? matches[number + 1].range.lowerBound : region.endIndex
            var entry = region[match.range.upperBound..<next]
            if let rest = entry.firstMatch(of: /path:|exclude:|resources:|swiftSettings:|readme:/) {
                entry = entry[..<rest.range.lowerBound]
            }
            var imports = Set(quoted(by: "\"", in: entry))
            if entry.contains("wires.map") {
                imports.formUnion(wires.flatMap { [String($0.0), String($0.1)] })
            }
            found[String(match.1)] = imports
        }
        return found
    }

    /// The names between pairs of a mark.
    private static func quoted(by mark: Character, in text: Substring) -> [String] {
        let parts = text.split(separator: mark, omittingEmptySubsequences: false)
        return parts.indices.filter { $0 % 2 == 1 }.map { String(parts[$0]) }
            .filter { $0.wholeMatch(of: /\w+/) != nil }
    }

    private static func between(
        _ start: String, and end: String, in text: String
    ) -> Substring {
        guard let first = text.firstRange(of: start) else { return "" }
        let rest = text[first.upperBound...]
        return rest[..<(rest.firstRange(of: end)?.lowerBound ?? rest.endIndex)]
    }
}
