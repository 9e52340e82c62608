// SPDX-License-Identifier: Apache-2.0

import AllAdapters
import SigningCodecs
import SigningCore

extension CommandLineTool {
    static let verify = Command(
        name: "verify", options: [Option(name: "--adapter", value: "NAME")], operands: 1...1,
        usage: """
            usage: countersign verify [--adapter NAME] SOURCE

            Checks the signatures of a signed Nostr event (nip155), a NEP-413 SignedMessage with
            its message, a signed NEAR transaction or delegate action in Base64 (nep413), Algorand
            signed transactions, or as JSON an Algorand message with signer and signature (arc27).
            Needs no home. Exit status 0 if every signature
            holds, 1 if not.

            example: countersign verify event.json
            """
    ) { invocation throws(CLIError) in
        let bytes = Answering.trimmingLineEnd(try Source.read(try invocation.operand(0)))
        let reader = try reader(
            among: invocation.adapters, named: invocation.arguments.value("--adapter"), for: bytes)
        let statement: SignedStatement
        do throws(StatementError) {
            statement = try reader.readSigned(bytes.span)
        } catch {
            throw CLIError(
                "not a signed statement: \(VisibleText.escaped(error.reason))",
                hint: "is --adapter the right one?")
        }
        let findings = StatementVerifier.check(statement)
        let isGood = !findings.isEmpty && findings.allSatisfy { $0.reading != nil }
        report(statement, findings, isGood: isGood, to: invocation.console)
        return isGood ? .done : .failed
    }

    private static func reader(
        among set: AdapterSet, named name: String?, for bytes: [UInt8]
    ) throws(CLIError) -> any SignedStatementReader {
        if name == nil {
            let able = set.adapters.compactMap { $0 as? any SignedStatementReader }
                .filter { (try? $0.readSigned(bytes.span)) != nil }
            if let reader = able.first, able.count == 1 { return reader }
        }
        let chosen = name ?? guess(bytes)
        guard let adapter = set.adapter(named: chosen),
            let reader = adapter as? any SignedStatementReader
        else {
            throw .usage(
                "there is no adapter \"\(VisibleText.escaped(chosen))\"",
                hint: "one of: \(set.names.joined(separator: ", "))")
        }
        return reader
    }

    /// Tells by a member what was meant by a text that no one wire reads.
    private static func guess(_ bytes: [UInt8]) -> String {
        guard let members = (try? JSON.parse(bytes.span))?.object else { return "arc27" }
        if members["sig"] != nil { return "nip155" }
        let near = ["recipient", "signedTransaction", "signedDelegateActions"]
        let answer = members["result"]?.object ?? members
        return near.contains { answer[$0] != nil } ? "nep413" : "arc27"
    }

    private static func report(
        _ statement: SignedStatement, _ findings: [StatementVerifier.Finding], isGood: Bool,
        to console: Console
    ) {
        if console.isJSON {
            let rows = findings.map { finding -> JSON in
                [
                    "signer": .string(finding.claim.signer),
                    "scheme": .string(finding.claim.scheme.rawValue),
                    "holds": .bool(finding.reading != nil),
                    "reading": finding.reading.map { .string($0.name) } ?? .null,
                ]
            }
            console.put((["verified": .bool(isGood), "signatures": .array(rows)] as JSON).write())
            return
        }
        console.put(statement.summary.text)
        for finding in findings {
            let state = finding.reading.map { "holds (\($0.name))" } ?? "DOES NOT HOLD"
            console.put("  signature of \(VisibleText.escaped(finding.claim.signer)): \(state)")
        }
        console.put(isGood ? "verified" : "not verified")
    }
}
