// SPDX-License-Identifier: Apache-2.0

import PolicyProof
import SigningCodecs
import SigningCore
import SigningFiles
import SigningPolicy
import SigningPolicyTools

/// The difference of two policies as the command line shows it.
struct PolicyComparison {
    let changes: PolicyChanges
    let proved: ProvedDifference
    /// The keys with each tag that rules of the new policy name.
    let tagged: [(tag: String, keys: [String])]

    /// The maximum number of lines about changed parts.
    private static let shownPartsMax = 100
    /// The maximum number of tags with their keys.
    private static let shownTagsMax = 32

    /// Compares two policies; `held` are the keys of the home.
    init(from old: TOMLPolicy, to new: TOMLPolicy, held: [Account] = []) {
        tagged = new.namedTags.map { tag in
            (tag, held.filter { $0.tags.contains(tag) }.map(\.name).sorted())
        }
        changes = PolicyChanges(from: old, to: new)
        proved = ProvedDifference(from: old, to: new, at: SystemEnvironment().now())
    }

    /// One line for each kind of change.
    var findings: [String] {
        ProvedDifference.Change.allCases.map { change in
            switch proved[change] {
            case .proved: return "\(change.name): none (proved)"
            case .notProved(let part): return "\(change.name): not proved: \(part)"
            case .shown(let witness):
                let past = witness.past.map { ", with \($0)" } ?? ""
                return "\(change.name): \(witness.before) -> \(witness.after) for "
                    + witness.request + past
            }
        }
    }

    /// True if a request is known that the policies answer differently.
    var isShown: Bool {
        ProvedDifference.Change.allCases.contains { change in
            if case .shown = proved[change] { true } else { false }
        }
    }

    /// The difference as text for people: one line for each kind of change, then what was edited.
    var text: String { text(changes.namedParts, Self.shownPartsMax) }

    /// The difference with the parts that changed, not only those that names can hide.
    var fullText: String { text(changes.changedParts, Self.shownPartsMax) }

    /// The difference with every part that changed, however many they are.
    var wholeText: String { text(changes.changedParts, .max) }

    private func text(_ parts: [String], _ partsMax: Int) -> String {
        var rows = findings
        for word in ["added", "changed", "removed"] {
            let rules = changes.rules.filter { $0.word == word }
            guard !rules.isEmpty else { continue }
            let names = rules.map { "\($0.id) (\($0.effects))" }
            rows.append("\(word) rules: \(names.joined(separator: ", "))")
        }
        for word in ["added", "changed", "removed"] {
            for (kind, parts) in [("assets", changes.assets), ("budgets", changes.budgets)] {
                let texts = parts.filter { $0.word == word }.map(\.text)
                guard !texts.isEmpty else { continue }
                rows.append("\(word) \(kind): \(texts.joined(separator: "; "))")
            }
        }
        if !changes.counters.isEmpty {
            let names = changes.counters.map(\.text).joined(separator: "; ")
            rows.append("counters that start anew, so that what was used is forgotten: \(names)")
        }
        for word in ["added", "changed", "removed"] {
            let ids = changes.assertions.filter { $0.word == word }.map(\.id)
            guard !ids.isEmpty else { continue }
            rows.append("\(word) assertions: \(ids.joined(separator: ", "))")
        }
        if !changes.acts.isEmpty {
            rows.append("changed governance: \(changes.acts.joined(separator: ", "))")
        }
        rows += tagged.prefix(Self.shownTagsMax).map { tag, keys in
            "keys with the tag \"\(tag)\" now: "
                + (keys.isEmpty ? "none" : keys.joined(separator: ", "))
        }
        if tagged.count > Self.shownTagsMax {
            rows.append("and \(tagged.count - Self.shownTagsMax) more tags that rules name")
        }
        rows += parts.prefix(partsMax).map { "  \($0)" }
        if parts.count > partsMax {
            rows.append(
                "  and \(parts.count - partsMax) more such lines: see "
                    + "countersign policy diff --all")
        }
        return rows.joined(separator: "\n")
    }

    /// The status for scripts that accept no change by which more is allowed.
    var status: ExitStatus {
        let findings = [proved[.newlyAllowed], proved[.fewerApprovers]]
        let isShown = findings.contains { if case .shown = $0 { true } else { false } }
        guard !isShown else { return .failed }
        return findings.allSatisfy { $0 == .proved } ? .done : .inconclusive
    }

    var json: JSON {
        [
            "newly_allowed": Self.json(proved[.newlyAllowed]),
            "newly_asked": Self.json(proved[.newlyAsked]),
            "newly_denied": Self.json(proved[.newlyDenied]),
            "fewer_approvers": Self.json(proved[.fewerApprovers]),
            "rules": .array(changes.rules.map(Self.json)),
            "budgets": .array(changes.budgets.map(Self.json)),
            "assets": .array(changes.assets.map(Self.json)),
            "counters": .array(
                changes.counters.map { change in
                    [
                        "name": .string(change.name), "before": .string(change.before),
                        "after": .string(change.after),
                    ]
                }),
            "assertions": .array(
                changes.assertions.map { change in
                    ["id": .string(change.id), "change": .string(change.word)]
                }),
            "changed_governance": .array(changes.acts.map { .string($0) }),
            "tags": .array(
                tagged.map { tag, keys in
                    ["tag": .string(tag), "keys": .array(keys.map { .string($0) })]
                }),
        ]
    }

    private static func json(_ finding: ProvedDifference.Finding) -> JSON {
        switch finding {
        case .proved: ["finding": "none", "proved": true]
        case .notProved(let part):
            ["finding": "not proved", "proved": false, "because_of": .string(part)]
        case .shown(let witness):
            [
                "finding": "shown", "proved": true, "request": .string(witness.request),
                "before": .string(witness.before), "after": .string(witness.after),
                "past": witness.past.map { .string($0) } ?? .null,
            ]
        }
    }

    private static func json(_ change: PartChange) -> JSON {
        [
            "name": .string(change.name), "change": .string(change.word),
            "before": change.before.map { .string($0) } ?? .null,
            "after": change.after.map { .string($0) } ?? .null,
        ]
    }

    private static func json(_ change: RuleChange) -> JSON {
        [
            "id": .string(change.id), "change": .string(change.word),
            "before": (change.before?.effect.rawValue).map { .string($0) } ?? .null,
            "after": (change.after?.effect.rawValue).map { .string($0) } ?? .null,
        ]
    }
}
