// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs
package import SigningCore
internal import SigningCrypto

/// The form in which the record stores the approvers that a policy demands for the owner's acts.
package enum GovernanceRecord {
    /// The demands as JSON.
    package static func json(_ governance: Governance) -> JSON {
        .sorted(
            Dictionary(
                uniqueKeysWithValues: governance.demands.map {
                    ($0.rawValue, JointRecord.json($1))
                }))
    }

    /// The demands as JSON, in the form that the log key signs; nil if there are no demands.
    package static func text(_ governance: Governance) -> [UInt8]? {
        governance.isEmpty ? nil : json(governance).write()
    }

    /// The SHA-256 of the form that the log key signs; empty if there are no demands.
    package static func digest(of text: [UInt8]?) -> [UInt8] {
        text.map { Digest.sha256($0.span) } ?? []
    }

    /// Parses the demands in an entry: no demands if the member is absent, nil if it is malformed.
    package static func governance(_ json: JSON?) -> Governance? {
        guard let json else { return Governance.none }
        var demands: [Governance.Act: ApproverDemand] = [:]
        for act in Governance.Act.allCases {
            guard let member = json[act.rawValue] else { continue }
            guard let demand = JointRecord.demand(member), demand.rule == act.rule else {
                return nil
            }
            demands[act] = demand
        }
        let governance = Governance(demands)
        // Accepts only the canonical form.
        return text(governance) == json.write() ? governance : nil
    }
}
