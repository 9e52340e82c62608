// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore
import SigningDigests

extension ARC60Login {
    /// Members that are others for every login, and say nothing of what it is for.
    private static let freshNames = ["nonce", "request-id"]

    /// What rules may ask about the data and what binds them to the domain.
    package func facts() -> [Fact] {
        let times = LoginTimes(json, at: time)
        var facts = [
            Fact("domain", .text(domain)), Fact("login.fresh", .bool(times.isFresh)),
            Fact("message.hash", .bytes(hash(withTimes: !times.isFresh))),
        ]
        let texts = [
            ("login.uri", "uri"), ("login.account", "account_address"),
            ("login.chain", "chain_id"), ("login.statement", "statement"),
            ("login.nonce", "nonce"),
        ]
        for (name, member) in texts {
            if let text = json[member]?.text { facts.append(Fact(name, .text(text))) }
        }
        let resources = json["resources"]?.list?.compactMap { $0.text.map { FactValue.text($0) } }
        if let resources, !resources.isEmpty {
            facts.append(Fact("login.resources", .list(resources)))
        }
        if let issued = times.issued { facts.append(Fact("login.issued", .time(issued))) }
        if let expires = times.expires { facts.append(Fact("login.expires", .time(expires))) }
        return facts + authenticatorData.facts
    }

    /// A hash of all that a yes to the login is about.
    private func hash(withTimes: Bool) -> [UInt8] {
        let left = Self.freshNames + (withTimes ? [] : LoginTimes.names)
        let members = json.object?.members.filter { member in
            !left.contains { UTF8Text.isSame($0, member.name) }
        }
        let bytes = JSON.object(JSONObject(members ?? [])).write()
        return Digest.sha256(bytes.span)
    }
}
