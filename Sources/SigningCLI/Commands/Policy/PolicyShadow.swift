// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningCrypto
import SigningFiles
import SigningPolicy
import SigningService

extension CommandLineTool {
    static let policyShadowStart = Command(
        name: "policy shadow start", options: [], operands: 0...1,
        summary: "judge coming requests by a second policy too",
        usage: """
            usage: countersign policy shadow start [FILE]

            Makes policy.toml or FILE the shadow policy: from now on each request that was judged by
            the policy in force is judged by this one too, after its answer. The shadow policy
            allows, asks and denies nothing. "policy shadow show" lists the requests that it would
            have judged otherwise.

            The home keeps a copy, so later edits of the file change nothing. An earlier shadow
            policy ends, and what it found is deleted.

            example: countersign policy shadow start stricter.toml
            """
    ) { invocation in
        let workspace = try invocation.workspace()
        let path = invocation.arguments.operands.first ?? workspace.home.policyPath
        let policy = try workspace.open.startShadow(path)
        invocation.console.done(
            ["hash": .string(Hex.encode(policy.hash.span))],
            "shadow policy: \(policy.ruleCountText), hash \(policy.shortHash)")
        return .done
    }

    static let policyShadowShow = Command(
        name: "policy shadow show", options: [], operands: 0...0,
        summary: "list what the shadow policy judges otherwise",
        usage: """
            usage: countersign policy shadow show

            Lists the requests that the shadow policy would have judged otherwise than the policy in
            force: how many there are of each kind, the reasons of both policies, and the newest as
            an example. Remembered answers are no part of a verdict.

            example: countersign policy shadow show --json
            """
    ) { invocation in
        let report = try invocation.workspace().open.shadowReport()
        guard !invocation.console.isJSON else {
            invocation.console.put((report?.json ?? ["shadow": .null]).write())
            return .done
        }
        guard let report else {
            invocation.console.note("there is no shadow policy")
            return .done
        }
        for line in report.lines { invocation.console.put(line) }
        return .done
    }

    static let policyShadowStop = Command(
        name: "policy shadow stop", options: [], operands: 0...0,
        summary: "end the shadow policy",
        usage: """
            usage: countersign policy shadow stop

            Ends the shadow policy and deletes what it found.

            example: countersign policy shadow stop
            """
    ) { invocation in
        let isStopped = try invocation.workspace().open.stopShadow()
        invocation.console.done(
            ["stopped": .bool(isStopped)],
            isStopped ? "the shadow policy has ended" : "there is no shadow policy")
        return .done
    }
}

extension Finding {
    /// Reports the shadow policy of a home; nil if there is none.
    static func shadow(_ workspace: Workspace) -> Finding? {
        do {
            guard let state = try workspace.open.shadowReport()?.state else { return nil }
            guard let ended = state.ended else {
                let name = VisibleText.escaped(state.name)
                return Finding("shadow", "\(name) judges beside the policy in force")
            }
            return Finding(
                "shadow", "the shadow policy has ended: \(VisibleText.escaped(ended))",
                fix: "countersign policy shadow stop, or start it again")
        } catch {
            return Finding("shadow", error)
        }
    }
}

extension ShadowReport {
    /// The report for people.
    fileprivate var lines: [String] {
        let requests = state.judged == 1 ? "1 request" : "\(state.judged) requests"
        var lines = [
            "shadow policy: \(VisibleText.escaped(state.name)), hash "
                + "\(Hex.encode(state.hash.span).prefix(16)), since \(state.started.utcText)"
        ]
        if let ended = state.ended { lines.append("it has ended: \(VisibleText.escaped(ended))") }
        lines.append("judged: \(requests), \(count) otherwise than by the policy in force")
        if state.skipped > 0 {
            lines.append(
                "not judged: \(state.skipped), because too many waited, a limit was unreadable, or "
                    + "a first use is not on record")
        }
        if let unknownLimits, !unknownLimits.isEmpty {
            lines.append(
                "limits counted as unused, because no limit in force counts the same: "
                    + unknownLimits.joined(separator: ", "))
        }
        for difference in differences { lines += difference.lines }
        if state.uncounted > 0 { lines.append("of further kinds: \(state.uncounted)") }
        return lines
    }

    /// The number of requests that were judged otherwise.
    private var count: Int64 {
        differences.reduce(state.uncounted) {
            let (sum, hasOverflown) = $0.addingReportingOverflow($1.count)
            return hasOverflown ? .max : sum
        }
    }

    /// The report for programs.
    fileprivate var json: JSON {
        [
            "shadow": [
                "file": .string(state.name), "hash": .string(Hex.encode(state.hash.span)),
                "started": .string(state.started.utcText),
                "ended": state.ended.map { .string($0) } ?? .null,
            ],
            "judged": .integer(state.judged), "skipped": .integer(state.skipped),
            "otherwise": .integer(count), "uncounted": .integer(state.uncounted),
            "limits_unknown": unknownLimits.map { .array($0.map { .string($0) }) } ?? .null,
            "differences": .array(differences.map(\.json)),
        ]
    }
}

extension ShadowDifference {
    /// The difference for people.
    fileprivate var lines: [String] {
        let client = client.map { "client \(VisibleText.escaped($0))" } ?? "an unknown client"
        let names = keys.map { VisibleText.escaped($0) }.joined(separator: ", ")
        let method = VisibleText.escaped("\(kind.method) (\(kind.protocolName))")
        return [
            "\(count) x \(method): \(kind.before.words) -> \(kind.after.words)",
            "  in force: \(kind.before.reasonText)",
            "  shadow: \(kind.after.reasonText)",
            "  newest: \(last.utcText), \(client)\(names.isEmpty ? "" : ", key \(names)")",
        ]
    }

    /// The difference for programs.
    fileprivate var json: JSON {
        [
            "in_force": .string(Hex.encode(kind.inForce.span)),
            "protocol": .string(kind.protocolName), "method": .string(kind.method),
            "before": kind.before.json, "after": kind.after.json, "count": .integer(count),
            "first": .string(first.utcText), "last": .string(last.utcText),
            "client": client.map { .string($0) } ?? .null,
            "keys": .array(keys.map { .string($0) }),
        ]
    }
}

extension ShadowSide {
    /// The verdict with its approvers, such as `ask 2 of alice, bob`.
    fileprivate var words: String {
        let people = approvers.joined(separator: " and ")
        return VisibleText.escaped(approvers.isEmpty ? verdict : "\(verdict) \(people)")
    }

    fileprivate var reasonText: String {
        VisibleText.escaped(reasons.joined(separator: "; "))
    }
}
