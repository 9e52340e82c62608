// SPDX-License-Identifier: Apache-2.0

import Glibc
import SigningCodecs
import SigningCore
import SigningPolicy
import SigningStorage

extension CommandLineTool {
    static let policyCommands = [policyCheck, policyExplain]

    private static let policyCheck = Command(
        name: "policy check", options: [], operands: 0...1,
        usage: """
            usage: countersign policy check [FILE]

            Reads a policy (policy.toml of the home, or FILE), tells every mistake with its line,
            column and what was probably meant, and what deserves a second look. Exit status 0 if
            it can be used, 1 if not.

            example: countersign policy check policy.toml
            """
    ) { invocation throws(CLIError) in
        let workspace = try invocation.workspace()
        let path = invocation.arguments.operands.first ?? workspace.home.policyPath
        let loaded = try PolicyLoading.load(path: path, adapters: workspace.adapters)
        if invocation.console.isJSON {
            invocation.console.put(JSON.array(loaded.diagnostics.map(json)).write())
        } else {
            for diagnostic in loaded.diagnostics {
                invocation.console.put(diagnostic.render(source: loaded.source.span))
            }
            if let policy = loaded.policy {
                let count = policy.document.ruleIDs.count
                invocation.console.put(
                    "policy: ok, \(count) \(count == 1 ? "rule" : "rules"), hash "
                        + Hex.encode(policy.hash.span).prefix(16))
            }
        }
        guard loaded.policy != nil else {
            throw CLIError(
                loaded.mistakes,
                hint: "nothing is signed until the file is right")
        }
        return .done
    }

    private static func json(_ diagnostic: Diagnostic) -> JSON {
        [
            "file": .string(diagnostic.file), "line": .integer(Int64(diagnostic.line)),
            "column": .integer(Int64(diagnostic.column)),
            "severity": .string(diagnostic.severity.rawValue), "code": .string(diagnostic.code),
            "message": .string(diagnostic.message),
            "suggestion": diagnostic.suggestion.map { .string($0) } ?? .null,
        ]
    }

    private static let policyExplain = Command(
        name: "policy explain", options: Answering.options, operands: 1...1,
        usage: """
            usage: countersign policy explain [--adapter NAME] [--client NAME] SOURCE

            Shows what "handle" would do with a request and why: what a person would be shown, the
            verdict, and for each rule whether it matched or what kept it from matching. Nothing
            is asked, recorded or signed, and no passphrase is needed.

            example: countersign policy explain request.json
            """
    ) { invocation throws(CLIError) in
        let workspace = try invocation.workspace()
        let bytes = Answering.trimmingLineEnd(try Source.read(try invocation.operand(0)))
        let adapter = try Answering.adapter(for: bytes, invocation, workspace)
        let policy = try workspace.policy()
        let ledger = try workspace.openLedger()
        let hub = SigningHub(
            policy: policy, keyStore: workspace.vault, ledger: ledger,
            approval: NoApproval(), environment: SystemEnvironment())
        let frame = Frame(bytes: bytes, origin: Answering.origin(invocation))
        let explanation: Explanation
        do throws(AdapterError) {
            explanation = try hub.explain(frame, with: adapter)
        } catch {
            throw CLIError(
                "the request is refused before it is judged: \(VisibleText.escaped(error.reason))",
                hint: "the wire's error is \(error.code)")
        }
        try report(explanation, policy, ledger, to: invocation.console)
        return .done
    }

    private static func report(
        _ explanation: Explanation, _ policy: TOMLPolicy, _ ledger: SQLiteLedger,
        to console: Console
    ) throws(CLIError) {
        let trace = try CLIError.wrapping { () throws(LedgerError) in
            try policy.explain(explanation.request, usage: ledger)
        }
        if console.isJSON {
            console.put(try json(explanation, trace, frozen: try frozen(ledger)).write())
        } else {
            console.put(explanation.summary.text)
            console.put(trace.text)
            if let reason = try frozen(ledger) {
                console.put("frozen (\(VisibleText.escaped(reason))): handle would deny this")
            }
            if let stopped = explanation.stopped {
                console.put("stopped before judging: \(VisibleText.escaped(stopped.text))")
            }
        }
    }

    private static func frozen(_ ledger: SQLiteLedger) throws(CLIError) -> String? {
        try CLIError.wrapping { () throws(LedgerError) in try ledger.freezeReason() }
    }

    /// What a person would be shown, and the trace of the rules, in one object.
    private static func json(
        _ explanation: Explanation, _ trace: PolicyExplanation, frozen: String?
    ) throws(CLIError) -> JSON {
        guard var members = (try? JSON.parse(trace.json.utf8.span))?.object?.members else {
            throw CLIError("the explanation is no JSON", hint: nil)
        }
        let summary = explanation.summary
        let lines = summary.lines.map { line -> JSON in
            [
                "label": .string(line.label), "text": .string(line.text),
                "by_client": .bool(line.author == .client),
            ]
        }
        let shown: JSON = [
            "title": .string(summary.title), "lines": .array(lines),
            "warnings": .array(summary.warnings.map { .string($0) }),
        ]
        let digest = Hex.encode(explanation.digest.span)
        members.append(.init(name: "summary", value: shown))
        members.append(.init(name: "request", value: .string(digest)))
        members.append(.init(name: "frozen", value: frozen.map { .string($0) } ?? .null))
        if let stopped = explanation.stopped {
            members.append(.init(name: "stopped", value: .string(stopped.text)))
        }
        return .object(JSONObject(members))
    }
}
