// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningPolicy
import SigningPolicyTools
import SigningService
import SigningStorage
import SigningVault
import SigningWires

extension CommandLineTool {
    static let last = Option(name: "--last", value: "N")

    static let policyReplay = Command(
        name: "policy replay", options: [last], operands: 0...1,
        summary: "judge recorded requests again by another policy",
        usage: """
            usage: countersign policy replay [--last N] [FILE]

            Judges the requests of the newest N entries of the record (1000) again by policy.toml or
            FILE, and lists the requests that would be answered differently. Payloads are not on
            record: if a rule looks at them, the result is unknown.

            example: countersign policy replay --last 10000
            """
    ) { invocation in
        let workspace = try invocation.workspace()
        let policy = try workspace.policy(at: invocation.arguments.operands.first)
        // Requests without a decision never reached the policy.
        let recorded = try workspace.recordedRequests(invocation).filter { $0.decision != nil }
        var replay = PolicyReplay(policy)
        var (changed, undetermined): ([JSON], Int) = ([], 0)
        for request in recorded {
            guard let decision = request.decision else { continue }
            let verdict = try replay.verdict(on: workspace.judged(request))
            guard let verdict else {
                undetermined += 1
                continue
            }
            // For a person's answer or a grant, the policy's verdict was a question.
            let isAsked = decision == .approved || decision == .remembered
            let before = isAsked ? "ask" : decision.rawValue
            guard before != verdict.name else { continue }
            changed.append(json(request, before, verdict))
            if !invocation.console.isJSON {
                invocation.console.put(line(request, before, verdict))
            }
        }
        let report: JSON = [
            "replayed": .integer(Int64(recorded.count)), "unknown": .integer(Int64(undetermined)),
            "changed": .array(changed),
        ]
        invocation.console.done(
            report,
            "replayed \(recorded.count): \(changed.count) would be answered differently, "
                + "\(undetermined) unknown")
        return .done
    }

    private static func json(
        _ request: RecordedRequest, _ before: String, _ verdict: Verdict
    ) -> JSON {
        [
            "sequence": .integer(request.sequence), "time": .string(request.time.utcText),
            "method": .string(request.method),
            "client": request.client.map { .string($0.id) } ?? .null,
            "before": .string(before), "after": .string(verdict.name),
            "rules": .array(verdict.reasons.compactMap(\.rule).map { .string($0) }),
        ]
    }

    private static func line(
        _ request: RecordedRequest, _ before: String, _ verdict: Verdict
    ) -> String {
        let rules = verdict.reasons.compactMap(\.rule)
        let client = request.client?.id ?? "-"
        let by = rules.isEmpty ? "the default" : rules.joined(separator: ", ")
        return "\(request.sequence)  \(request.time.utcText)  "
            + "\(VisibleText.escaped(request.method))  \(VisibleText.escaped(client))  "
            + "\(before) -> \(verdict.name) (\(by))"
    }

    static let policySuggest = Command(
        name: "policy suggest", options: [last], operands: 0...0,
        summary: "propose rules for requests that you approved",
        usage: """
            usage: countersign policy suggest [--last N]

            Writes the narrowest rules that would have allowed the requests that a person approved,
            among the newest N entries of the record (1000). They are proposals: read them, copy
            them into policy.toml, and attest it.

            example: countersign policy suggest --last 10000
            """
    ) { invocation in
        let workspace = try invocation.workspace()
        let approved = try workspace.recordedRequests(invocation)
            .filter { $0.decision == .approved }
            .flatMap { request in
                zip(request.keys, request.facts).map { key, facts in
                    Suggester.Approved(
                        protocolID: request.protocolID, method: request.method,
                        client: request.client, keyName: workspace.keyName(key),
                        dangers: request.dangers, facts: facts, time: request.time)
                }
            }
        let version = (try? workspace.attestedPolicy())?.document.version ?? 1
        let rules = Suggester(workspace.adapters.schemas, version: version).rules(for: approved)
        guard !invocation.console.isJSON else {
            invocation.console.put(JSON.array(rules.map { .string($0) }).write())
            return .done
        }
        for rule in rules { invocation.console.put(rule) }
        if rules.isEmpty {
            invocation.console.note("no approved request in these entries names a client")
        }
        return .done
    }

    static let policyLimits = Command(
        of: OwnerActs.limitList, operands: 0...0,
        usage: """
            usage: countersign policy limits

            Lists every limit of the policy in force: the amount used, the amount left, and the time
            at which it starts again. A limit with "by" has a line for each value that was counted.

            example: countersign policy limits --json
            """
    ) { invocation in
        let rows = try invocation.workspace().perform(OwnerActs.limitList, ())
        guard !invocation.console.isJSON else {
            invocation.console.put(JSON.array(rows.map(\.json)).write())
            return .done
        }
        for row in rows { invocation.console.put(row.text) }
        if rows.isEmpty { invocation.console.note("the policy in force has no limits") }
        return .done
    }
}

extension Workspace {
    /// The requests of the newest entries, oldest first.
    func recordedRequests(_ invocation: Invocation) throws -> [RecordedRequest] {
        let count = try invocation.arguments.count("--last", default: 1_000, max: 100_000)
        let log = try AuditLog.open(home)
        let entries = try log.entries(limit: count)
        let (writers, hubs) = (try log.writers(of: entries), try log.hubs())
        return entries.reversed().compactMap { entry in
            var request = RecordedRequest(entry)
            let writer = writers[entry.sequence]
            request?.hub = hubs.first { $0.number == writer }?.name
            return request
        }
    }

    func judged(_ request: RecordedRequest) -> JudgedRequest {
        let accounts = (try? vault.accounts()) ?? []
        return request.judged(own: accounts.ownAddresses) { key in
            accounts.first { $0.id == key }
        }
    }
}

extension RecordedRequest {
    /// A recorded request in the form that policies judge; its dangers count for every operation.
    func judged(own: [String] = [], _ account: (KeyID) -> Account?) -> JudgedRequest {
        let operations = zip(keys, facts).map { key, facts in
            let account =
                account(key)
                ?? Account(
                    id: key, name: "(removed)", protocolID: protocolID,
                    algorithm: .ed25519, publicKey: [], address: "", network: nil)
            return RequestedOperation(
                account: account, operation: .publicKey, facts: facts, effects: [], dangers: [])
        }
        var judged = JudgedRequest(
            adapter: adapter, protocolID: protocolID, method: method, client: client,
            peer: Peer(channel: ChannelName(channel)), time: time, frameBytes: frameBytes,
            decoding: decoding, facts: operations.isEmpty ? facts.first ?? [] : [],
            effects: effects, dangers: dangers, operations: operations, ownAddresses: own)
        judged.hub = hub
        return judged
    }
}
