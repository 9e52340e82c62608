// SPDX-License-Identifier: Apache-2.0
import SigningCore

extension PolicyReader {
    /// Reads `[governance]`: the approvers that each of the owner's acts needs.
    mutating func readGovernance(_ node: TOMLNode) {
        guard case .table(let members) = node.value else {
            report.error(
                .wrongShape, "governance is written as [governance]", at: node.keyPosition)
            return
        }
        let names = Governance.Act.allCases.map(\.rawValue)
        for member in members {
            guard let act = Governance.Act(rawValue: member.key) else {
                report.error(
                    .unknownKey, "unknown key \(quoted(member.key)) in governance",
                    at: member.keyPosition,
                    suggestion: Suggestion.closest(to: member.key, among: names))
                continue
            }
            governance[act] = readDemand(member, of: act.rule)
        }
    }
}
