// SPDX-License-Identifier: Apache-2.0
import SigningCodecs
import SigningCore

extension PolicyReader {
    /// The most tests in one file.
    static let testCountMax = 10_000
    /// The most keys that tests may use.
    static let testAccountsMax = 100
    /// The largest number of repetitions in one test.
    static let testRepeatMax = 10_000
    private static let testKeys =
        ["name", "request", "at", "expect", "delay", "rule", "channel", "adapter", "repeat"]
        + ["new_client", "known", "known_for", "connected", "repeated"] + peerKeys
        + describingKeys
    private static let peerKeys = ["client", "proof", "profile", "top_origin", "hub"]
    private static let accountKeys = ["name", "protocol", "public_key", "account", "tags"]

    /// Reads `[[test]]`; the rules must have been read before.
    mutating func readTests(_ node: TOMLNode, of rules: [PolicyRule]) -> [PolicyTest] {
        let items = readTables(node, countMax: Self.testCountMax)
        let ids = Set(rules.map(\.id))
        let names = Set(
            rules.flatMap(\.allConditions).compactMap {
                FirstUseField.base(of: $0.field.name)
            })
        let parties = vocabulary.schemas.flatMap(\.fields).filter {
            $0.isCounterparty && names.contains($0.name)
        }
        return items.compactMap { readTest($0, ids, parties) }
    }

    /// Reads `[[test_account]]`.
    mutating func readTestAccounts(_ node: TOMLNode) -> [TestAccount] {
        let items = readTables(node, countMax: Self.testAccountsMax)
        var names: Set<String> = []
        return items.compactMap { item in
            guard let account = readTestAccount(item) else { return nil }
            if !names.insert(account.name).inserted {
                report.error(
                    .test, "another test account has this name", at: account.position)
            }
            return account
        }
    }

    /// The tables of a `[[key]]`; anything else is reported.
    mutating func readTables(_ node: TOMLNode, countMax: Int) -> [TOMLNode] {
        guard case .array(let items) = node.value,
            items.allSatisfy({ if case .table = $0.value { true } else { false } })
        else {
            report.error(.wrongShape, "written as [[\(node.key)]]", at: node.keyPosition)
            return []
        }
        guard items.count <= countMax else {
            report.error(
                .tooMuch, "there are \(items.count) of these; at most \(countMax) are allowed",
                at: node.keyPosition)
            return []
        }
        return items
    }

    private mutating func readTest(
        _ node: TOMLNode, _ ruleIDs: Set<String>, _ parties: [FactField]
    ) -> PolicyTest? {
        guard let parts = readMembers(node, Self.testKeys) else { return nil }
        let name = readText("name", parts, node)
        let request = readRequest(parts, node)
        let verdict = readEffect("expect", parts, node, .test)
        var rule: String?
        if let part = parts["rule"] {
            rule = readText("rule", parts, node)
            if let rule, !ruleIDs.contains(rule) {
                report.error(
                    .test, "unknown rule \(quoted(rule))", at: part.position,
                    suggestion: Suggestion.closest(to: rule, among: ruleIDs.sorted()))
            }
        }
        var time: Timestamp?
        if let part = parts["at"] {
            guard case .time(let value) = part.value else {
                report.error(.test, "at \(FactType.time.demand)", at: part.position)
                return nil
            }
            time = value
        }
        let delay = parts["delay"].flatMap { readDelay($0, .test) } ?? 0
        if let part = parts["delay"], let verdict, verdict != .allow {
            report.error(
                .test, "\"delay\" is for tests that expect \"allow\"", at: part.keyPosition)
        }
        guard let count = readRepeat(parts["repeat"]), let name, let request, let verdict else {
            return nil
        }
        var peer: [String: String] = [:]
        for key in Self.peerKeys where parts[key] != nil { peer[key] = readText(key, parts, node) }
        return PolicyTest(
            name: name, position: node.position, request: request, time: time, verdict: verdict,
            delay: delay, rule: rule, client: peer,
            channel: parts["channel"].flatMap { _ in readText("channel", parts, node) } ?? "cli",
            adapter: parts["adapter"].flatMap { _ in readText("adapter", parts, node) },
            count: count, hasNewClient: parts["new_client"].flatMap { readFlag($0) } ?? false,
            known: parts["known"].map { readKnown($0, of: parties) } ?? [],
            knownSeconds: readKnownSeconds(parts),
            isConnected: parts["connected"].flatMap { readFlag($0) } ?? false,
            isRepeated: parts["repeated"].flatMap { readFlag($0) } ?? false)
    }

    /// Reads the request: a file with its frame, or its values.
    private mutating func readRequest(
        _ parts: [String: TOMLNode], _ node: TOMLNode
    ) -> PolicyTest.Request? {
        let describing = Self.describingKeys.first { parts[$0] != nil }
        guard let describing, let part = parts[describing] else {
            return readText("request", parts, node).map { .file($0) }
        }
        guard parts["request"] == nil, parts["adapter"] == nil else {
            report.error(
                .notHere, "\(quoted(describing)) is for tests without request and adapter",
                at: part.keyPosition)
            return nil
        }
        return readDescribed(parts, node).map { .described($0) }
    }

    /// Reads the counterparties that the test's keys have met before.
    private mutating func readKnown(_ node: TOMLNode, of parties: [FactField]) -> [String] {
        node.items.compactMap { item in
            guard case .text(let text) = item.value, item.setReference == nil else {
                report.error(.test, "known takes counterparties as text", at: item.position)
                return nil
            }
            let written = parties.lazy.map(\.form).compactMap { form in
                form.map { try? $0.normalised(.text(text)) } ?? .text(text)
            }
            guard case .text(let value)? = written.first else {
                report.error(
                    .test,
                    "no field of a first_use condition in this file has the value \(quoted(text))",
                    at: item.position)
                return nil
            }
            return value
        }
    }

    private mutating func readKnownSeconds(_ parts: [String: TOMLNode]) -> Int64? {
        guard let node = parts["known_for"] else { return nil }
        let value = try? FactValue(node.value, as: .duration)
        guard parts["known"] != nil, let seconds = value?.number.flatMap({ Int64(exactly: $0) }),
            seconds >= 0
        else {
            report.error(
                .test, "known_for takes a time such as \"2h\", and needs known",
                at: node.position)
            return nil
        }
        return seconds
    }

    private mutating func readTestAccount(_ node: TOMLNode) -> TestAccount? {
        guard let parts = readMembers(node, Self.accountKeys) else { return nil }
        let name = readText("name", parts, node)
        let protocolName = readText("protocol", parts, node)
        if let protocolName, !vocabulary.protocols.contains(protocolName),
            let part = parts["protocol"]
        {
            reportUnknownName(part, of: "protocol", among: vocabulary.protocols, .any)
        }
        let key = readText("public_key", parts, node)
        // The chain of the key knows the length.
        let bytes = key.flatMap { try? Hex.decode($0) }
        if key != nil, bytes == nil, let part = parts["public_key"] {
            report.error(
                .test, "public_key takes lower-case hexadecimal digits", at: part.position)
        }
        var tags: [String] = []
        if let part = parts["tags"] {
            guard case .array(let items) = part.value else {
                report.error(.test, "tags takes a list of text", at: part.position)
                return nil
            }
            tags = items.compactMap { if case .text(let tag) = $0.value { tag } else { nil } }
        }
        guard let name, let protocolName, let bytes else { return nil }
        return TestAccount(
            name: name, position: node.position, protocolName: protocolName, publicKey: bytes,
            address: parts["account"].flatMap { _ in readText("account", parts, node) },
            tags: tags)
    }

    private mutating func readMembers(
        _ node: TOMLNode, _ keys: [String]
    ) -> [String: TOMLNode]? {
        guard case .table(let members) = node.value else { return nil }
        for member in members where !keys.contains(member.key) {
            report.error(
                .unknownKey, "unknown key \(quoted(member.key))", at: member.keyPosition,
                suggestion: Suggestion.closest(to: member.key, among: keys))
        }
        return Dictionary(members.map { ($0.key, $0) }) { first, _ in first }
    }

    mutating func readText(
        _ key: String, _ parts: [String: TOMLNode], _ node: TOMLNode
    ) -> String? {
        guard let part = parts[key] else {
            report.error(.missingKey, "\(key) is missing", at: node.position)
            return nil
        }
        guard case .text(let text) = part.value, !text.isEmpty else {
            report.error(.test, "\(key) takes text", at: part.position)
            return nil
        }
        return text
    }

    private mutating func readRepeat(_ node: TOMLNode?) -> Int? {
        guard let node else { return 1 }
        guard case .integer(let count) = node.value, (1...Int64(Self.testRepeatMax)) ~= count
        else {
            report.error(
                .test, "repeat takes a number from 1 to \(Self.testRepeatMax)", at: node.position)
            return nil
        }
        return Int(count)
    }
}
