// SPDX-License-Identifier: Apache-2.0
import SigningCodecs
import SigningCore

extension PolicyReader {
    /// The most names in `[approvers]`.
    static let approverCountMax = 1_000
    /// The prefix of a public key's text.
    static let approverKeyPrefix = "ed25519:"
    private static let approverKeyCount = 32
    private static let demandKeys = ["min", "of", "within", "submitter_may_approve"]

    /// Reads `[approvers]`: a name and a public key in each line.
    mutating func readApprovers(_ node: TOMLNode) {
        guard case .table(let members) = node.value else {
            report.error(
                .approvers, "approvers are written as [approvers], then NAME = \"KEY\"",
                at: node.keyPosition)
            return
        }
        guard members.count <= Self.approverCountMax else {
            report.error(
                .tooMuch,
                "there are \(members.count) approvers; \(Self.approverCountMax) at most",
                at: node.keyPosition)
            return
        }
        for member in members {
            guard !member.key.isEmpty, member.key.utf8.count <= Self.ruleIDMax,
                member.key.utf8.allSatisfy(Self.isNameByte)
            else {
                report.error(
                    .approvers, "an approver's name is 1 to \(Self.ruleIDMax) of a-z, 0-9 and -",
                    at: member.keyPosition)
                continue
            }
            guard case .text(let text) = member.value, let key = Self.approverKey(text) else {
                report.error(
                    .approvers,
                    "an approver's key is \"\(Self.approverKeyPrefix)\" and 64 hexadecimal digits "
                        + "in lower case, as \"countersign approver new\" prints it",
                    at: member.position)
                continue
            }
            approvers[member.key] = key
            approverPositions[member.key] = member.keyPosition
        }
    }

    private static func approverKey(_ text: String) -> [UInt8]? {
        guard text.hasPrefix(approverKeyPrefix),
            let key = try? Hex.decode(String(text.dropFirst(approverKeyPrefix.utf8.count))),
            key.count == approverKeyCount,
            text.isExactly(approverKeyPrefix + Hex.encode(key.span))
        else { return nil }
        return key
    }

    /// Reads `approvers = { min = 2, of = "@finance" }` of an ask rule or of an act in
    /// `[governance]`.
    mutating func readDemand(_ node: TOMLNode, of rule: String?) -> ApproverDemand? {
        guard case .table(let members) = node.value else {
            report.error(
                .approvers, "\(node.key) takes a table such as { min = 2, of = \"@finance\" }",
                at: node.position)
            return nil
        }
        for member in members where !Self.demandKeys.contains(member.key) {
            report.error(
                .unknownKey, "unknown key \(quoted(member.key)) in \(node.key)",
                at: member.keyPosition,
                suggestion: Suggestion.closest(to: member.key, among: Self.demandKeys))
        }
        let parts = Dictionary(members.map { ($0.key, $0) }) { first, _ in first }
        let people = readMembers(parts["of"], in: node)
        let minimum = readMinimum(parts["min"], in: node)
        let seconds = parts["within"].map { readWithin($0) } ?? ApproverDemand.secondsDefault
        let mayApprove = parts["submitter_may_approve"].map { readFlag($0) } ?? false
        guard let people, let minimum, let seconds, let mayApprove else { return nil }
        let demand = ApproverDemand(
            rule: rule ?? "", minimum: minimum, members: people, seconds: seconds,
            submitterMayApprove: mayApprove)
        guard demand.members.count <= ApproverDemand.membersMax else {
            report.error(
                .tooMuch, "a rule asks at most \(ApproverDemand.membersMax) approvers",
                at: node.position)
            return nil
        }
        guard minimum <= demand.members.count else {
            let several = demand.members.count == 1 ? "1 key" : "\(demand.members.count) keys"
            report.error(
                .approvers, "min = \(minimum) can never be met: \"of\" names \(several)",
                at: parts["min"]?.position ?? node.position)
            return nil
        }
        return demand
    }

    private mutating func readMinimum(_ node: TOMLNode?, in demand: TOMLNode) -> Int? {
        guard let node else {
            report.error(.missingKey, "\(demand.key) has no \"min\"", at: demand.position)
            return nil
        }
        guard case .integer(let number) = node.value, number >= 1,
            number <= Int64(ApproverDemand.membersMax)
        else {
            report.error(
                .approvers, "min takes a number from 1 to \(ApproverDemand.membersMax)",
                at: node.position)
            return nil
        }
        return Int(number)
    }

    private mutating func readWithin(_ node: TOMLNode) -> Int64? {
        let range = ApproverDemand.secondsRange
        guard case .text(let text) = node.value, let seconds = WrittenDuration.seconds(of: text),
            range.contains(seconds)
        else {
            report.error(
                .approvers,
                "within takes a duration from \"\(WrittenDuration.text(of: range.lowerBound))\" "
                    + "to \"\(WrittenDuration.text(of: range.upperBound))\"", at: node.position)
            return nil
        }
        return seconds
    }

    mutating func readFlag(_ node: TOMLNode) -> Bool? {
        guard case .bool(let flag) = node.value else {
            report.error(.wrongValue, "\(node.key) takes true or false", at: node.position)
            return nil
        }
        return flag
    }

    /// Reads names of approvers and of sets of approvers.
    private mutating func readMembers(
        _ node: TOMLNode?, in demand: TOMLNode
    ) -> [ApproverDemand.Member]? {
        guard let node else {
            report.error(.missingKey, "\(demand.key) has no \"of\"", at: demand.position)
            return nil
        }
        let items = node.items
        guard !items.isEmpty else {
            report.error(
                .wrongValue, "the list is empty: name at least one approver", at: node.position)
            return nil
        }
        var found: [ApproverDemand.Member] = []
        var isWhole = true
        var seen: Set<String> = []
        for item in items { isWhole = add(item, to: &found, &seen) && isWhole }
        return isWhole ? found : nil
    }

    private mutating func add(
        _ item: TOMLNode, to found: inout [ApproverDemand.Member], _ seen: inout Set<String>
    ) -> Bool {
        if let name = item.setReference {
            guard let set = sets[name] else {
                reportUnknownSet(name, at: item.position)
                return false
            }
            usedSets.insert(name)
            guard seen.insert(name).inserted else { return true }
            var isWhole = true
            for member in set.members { isWhole = add(member, to: &found, &seen) && isWhole }
            return isWhole
        }
        guard case .text(let name) = item.value, let key = approvers[name] else {
            reportUnknownName(item, of: "approver", among: approvers.keys.sorted(), .any)
            return false
        }
        usedApprovers.insert(name)
        found.append(ApproverDemand.Member(name: name, key: key))
        return true
    }

    mutating func warnOfUnusedApprovers() {
        for (name, position) in approverPositions where !usedApprovers.contains(name) {
            report.warn(.unusedApprover, "no rule asks the approver \"\(name)\"", at: position)
        }
    }
}
