// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs
package import SigningCore
package import SigningPolicy
package import SigningWires

/// A shadow policy with its counts.
package struct ShadowState: Sendable {
    /// The name of the file that it was read from.
    package let name: String
    /// The text of the policy.
    package let source: [UInt8]
    /// The hash of the policy, 32 bytes.
    package let hash: [UInt8]
    /// The time at which it was started.
    package let started: Timestamp
    /// The number of judged requests.
    package let judged: Int64
    /// The number of requests that were not judged, because too many waited or a limit could not be
    /// read.
    package let skipped: Int64
    /// The number of requests judged otherwise for which there was no room.
    package let uncounted: Int64
    /// The reason for which it ended; nil if it still judges.
    package let ended: String?

    /// The policy; nil if the text cannot be read, or is not the policy that was started.
    package func policy(_ adapters: AdapterSet) -> TOMLPolicy? {
        let loaded = PolicyLoading(source, fileName: name, adapters: adapters, isInForce: true)
        return loaded.policy.flatMap { $0.hash == hash ? $0 : nil }
    }
}

/// The verdict of one of the two policies.
package struct ShadowSide: Hashable, Sendable {
    /// The most reasons and rules that are kept.
    private static let partsMax = 8

    /// `allow`, `ask` or `deny`, with the delay if there is one, such as `allow after 1h`.
    package let verdict: String
    /// The approvers of each demand, such as `2 of alice, bob`.
    package let approvers: [String]
    /// The reasons in words.
    package let reasons: [String]
    /// The ids of the rules that decided.
    package let rules: [String]

    /// Keeps the verdict of a judgement.
    init(_ judgement: Judgement) {
        verdict = judgement.words
        approvers = Array(judgement.demands.map(\.text).prefix(Self.partsMax))
        reasons = Array(judgement.verdict.reasons.map(\.text).prefix(Self.partsMax))
        rules = Array(judgement.verdict.reasons.compactMap(\.rule).prefix(Self.partsMax))
    }

    /// Reads the stored text.
    init(stored text: String) throws(ShadowError) {
        guard let json = try? JSON.parse(Array(text.utf8).span),
            let verdict = json["verdict"]?.text
        else { throw ShadowError(text: "shadow.db: a verdict is not in its form") }
        func texts(_ name: String) -> [String] { (json[name]?.list ?? []).compactMap(\.text) }
        self.verdict = verdict
        approvers = texts("approvers")
        reasons = texts("reasons")
        rules = texts("rules")
    }

    /// The text to store.
    var stored: String { String(decoding: json.write(), as: UTF8.self) }

    /// The verdict for programs.
    package var json: JSON {
        func array(_ texts: [String]) -> JSON { .array(texts.map { .string($0) }) }
        return [
            "verdict": .string(verdict), "approvers": array(approvers),
            "reasons": array(reasons), "rules": array(rules),
        ]
    }
}

/// Requests of one kind that the shadow policy judges otherwise, with the newest as an example.
package struct ShadowDifference: Sendable {
    /// The properties that all requests of the kind have.
    package struct Kind: Hashable, Sendable {
        /// The hash of the policy that was in force, 32 bytes.
        package let inForce: [UInt8]
        package let protocolName: String
        package let method: String
        /// The verdict of the policy in force.
        package let before: ShadowSide
        /// The verdict of the shadow policy.
        package let after: ShadowSide
    }

    /// The longest kept name of a client, in characters.
    private static let clientMax = 256
    /// The most kept names of keys.
    private static let keysMax = 8

    package let kind: Kind
    /// The number of requests.
    package let count: Int64
    /// The time of the oldest request.
    package let first: Timestamp
    /// The time of the newest request.
    package let last: Timestamp
    /// The client of the newest request; nil if it is unknown.
    package let client: String?
    /// The names of the keys of the newest request.
    package let keys: [String]

    init(
        kind: Kind, count: Int64, first: Timestamp, last: Timestamp, client: String?,
        keys: [String]
    ) {
        self.kind = kind
        self.count = count
        self.first = first
        self.last = last
        self.client = client
        self.keys = keys
    }

    /// The difference of two judgements of a request; nil if verdict, delay and approvers are the
    /// same.
    init?(_ request: JudgedRequest, _ before: Judgement, _ after: Judgement) {
        guard
            before.words != after.words
                || before.demands.people != after.demands.people
        else { return nil }
        let kind = Kind(
            inForce: before.policyHash, protocolName: request.protocolID.name,
            method: request.method, before: ShadowSide(before), after: ShadowSide(after))
        var keys: [String] = []
        for name in request.operations.map(\.account.name) where !keys.contains(name) {
            keys.append(name)
        }
        self.init(
            kind: kind, count: 1, first: request.clock, last: request.clock,
            client: request.client.map { String($0.id.prefix(Self.clientMax)) },
            keys: Array(keys.prefix(Self.keysMax)))
    }
}

extension [ApproverDemand] {
    /// The numbers and the keys of the people who must say yes, without the ids of the rules.
    fileprivate var people: Set<[[UInt8]]> {
        var people: Set<[[UInt8]]> = []
        for demand in self {
            people.insert([[UInt8]("\(demand.minimum)".utf8)] + demand.members.map(\.key))
        }
        return people
    }
}

extension TOMLPolicy {
    /// The limits of this policy of whose uses the record knows nothing, because the policy in
    /// force has no limit that counts the same; each with its rule or budget.
    package func limitsUnknown(to inForce: TOMLPolicy) -> [String] {
        let known = Set(inForce.limits.map { $0.limit.counterShape })
        var owners: [String] = []
        for (owner, limit) in limits
        where !known.contains(limit.counterShape) && !owners.contains(owner) {
            owners.append(owner)
        }
        return owners
    }
}

extension CompiledLimit {
    /// The name of its counters up to the values of `by`, and the fields of `by`.
    fileprivate var counterShape: [String] { [base] + limit.scope.map(\.name) }
}
