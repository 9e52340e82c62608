// SPDX-License-Identifier: Apache-2.0

import AllAdapters
import SigningCodecs
import SigningCore
import SigningWires

extension CommandLineTool {
    static let verify = Command(
        name: "verify", options: [Option(name: "--adapter", value: "NAME", offers: .adapters)],
        operands: 1...1,
        summary: "check signatures",
        usage: """
            usage: countersign verify [--adapter NAME] SOURCE

            Checks signatures. It needs no home and asks no network. It says which account each
            signature speaks for, and on which network if one was signed. SOURCE is one of these:

              a signed Nostr event (nip155)
              a NEP-413 SignedMessage with its message
              a signed NEAR transaction or delegate action in Base64
              a payload of NEAR Intents (nep413, raw_ed25519 or sep53)
              Algorand signed transactions in Base64, or in a .stxn file of goal or an SDK
              an Algorand message in JSON with signer and signature (arc27)

            Exit status 0 if every signature is valid and each account signed with its own key and
            with all signatures that it needs. Exit status 4 if the signatures are valid but prove
            less: some are missing, another key signed, or the account is a named NEAR account, so
            that only the network knows its keys. Exit status 1 if a signature is not valid.

            example: countersign verify event.json
            """
    ) { invocation in
        let bytes = RequestInput.trimmingLineEnd(try Source.read(try invocation.operand(0)))
        let reader = try reader(
            among: invocation.adapters, named: invocation.arguments.value("--adapter"), for: bytes)
        let statement: SignedStatement
        do throws(StatementError) {
            statement = try reader.readSigned(bytes.span)
        } catch {
            throw CLIError(
                "not verified: \(VisibleText.escaped(error.reason))",
                hint: "check that nothing is missing and that --adapter is right")
        }
        let findings = StatementVerifier.check(statement)
        let proof = StatementVerifier.proof(of: statement, findings)
        report(statement, findings, proof, to: invocation.console)
        return switch proof {
        case .complete: .done
        case .incomplete: .inconclusive
        case .invalid: .failed
        }
    }

    private static func reader(
        among set: AdapterSet, named name: String?, for bytes: [UInt8]
    ) throws -> any SignedStatementReader {
        if name == nil {
            let able = set.adapters.compactMap { $0 as? any SignedStatementReader }
                .filter { (try? $0.readSigned(bytes.span)) != nil }
            if let reader = able.first, able.count == 1 { return reader }
        }
        let chosen = name ?? likelyAdapter(bytes)
        guard let adapter = set.adapter(named: chosen),
            let reader = adapter as? any SignedStatementReader
        else {
            throw CLIError.usage(
                "unknown --adapter \"\(VisibleText.quotable(chosen))\"",
                hint: "one of: \(set.names.joined(separator: ", "))")
        }
        return reader
    }

    /// Guesses the wire of a text by its members, if no wire claims it alone.
    private static func likelyAdapter(_ bytes: [UInt8]) -> String {
        guard let members = (try? JSON.parse(bytes.span))?.object else { return "arc27" }
        if members["sig"] != nil { return "nip155" }
        let near = ["recipient", "signedTransaction", "signedDelegateActions", "standard"]
        let answer = members["result"]?.object ?? members
        return near.contains { answer[$0] != nil } ? "nep413" : "arc27"
    }

    private static func report(
        _ statement: SignedStatement, _ findings: [StatementVerifier.Finding],
        _ proof: StatementVerifier.Proof, to console: Console
    ) {
        if console.isJSON {
            let rows = findings.map { finding -> JSON in
                [
                    "signer": .string(finding.claim.signer),
                    "scheme": .string(finding.claim.scheme.id),
                    "holds": .bool(finding.reading != nil),
                    "reading": finding.reading.map { .string($0.name) } ?? .null,
                ]
            }
            let reported: JSON = [
                "verified": .bool(proof == .complete), "proof": .string(proof.rawValue),
                "accounts": .array(statement.authors.map { $0.json(proof) }),
                "signatures": .array(rows),
            ]
            console.put(reported.write())
            return
        }
        console.put(statement.summary.text)
        for finding in findings {
            let state = finding.reading.map { "holds (\($0.name))" } ?? "DOES NOT HOLD"
            console.put("  signature of \(VisibleText.escaped(finding.claim.signer)): \(state)")
        }
        var reported: Set<StatementAuthor> = []
        for author in statement.authors where reported.insert(author).inserted {
            let verb = proof == .invalid ? "is meant to speak" : "speaks"
            console.put("  \(verb) for \(VisibleText.escaped(author.account))")
            guard proof != .invalid else { continue }
            for line in author.lines { console.put("    \(VisibleText.escaped(line))") }
        }
        switch proof {
        case .complete: console.put("verified")
        case .incomplete:
            console.put("incomplete: the signatures are valid, but prove only what is said above")
        case .invalid: console.put("not verified")
        }
    }
}

extension StatementAuthor {
    fileprivate func json(_ proof: StatementVerifier.Proof) -> JSON {
        let isProved = proof != .invalid && key == .ownKey && isComplete
        return [
            "account": .string(account), "network": network.map { .string($0) } ?? .null,
            "key": .string(key.rawValue), "signatures": .integer(Int64(signatureCount)),
            "signaturesNeeded": .integer(Int64(neededCount)), "proved": .bool(isProved),
        ]
    }

    /// The statements that valid signatures prove.
    fileprivate var lines: [String] {
        var lines = network.map { ["on \($0)"] } ?? []
        switch key {
        case .ownKey where neededCount > 1:
            if isComplete { lines.append("signed by \(signatureCount) of its own members") }
        case .ownKey: lines.append("signed by its own key")
        case .other:
            lines.append("signed by another key than its own:")
            lines.append("only the network knows whether that key may sign")
        case .unknown: lines.append("only the network knows whether the key is the account's")
        }
        if !isComplete {
            lines.append("not complete: \(signatureCount) of \(neededCount) signatures needed")
        }
        return lines
    }
}
