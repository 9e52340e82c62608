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
            facts += told(name, member) { $0.text.map { .text($0) } }
        }
        facts += told("login.resources", "resources") { Self.texts($0) }
        facts += told("login.issued", "issued-at") { _ in times.issued.map { .time($0) } }
        facts += told("login.expires", "expiration-time") { _ in times.expires.map { .time($0) } }
        return facts + authenticatorData.facts
    }

    /// The fact that a member is; nothing where there is no such member.
    ///
    /// A member that is not of the field's type is told as an empty list: it is there, and no
    /// allow rule takes it for a value.
    private func told(
        _ name: String, _ member: String, _ value: (JSON) -> FactValue?
    ) -> [Fact] {
        guard let json = json[member] else { return [] }
        return [Fact(name, value(json) ?? .list([]))]
    }

    /// The elements of a list of texts alone.
    private static func texts(_ json: JSON) -> FactValue? {
        guard let list = json.list else { return nil }
        let texts = list.compactMap { $0.text.map { FactValue.text($0) } }
        return texts.count == list.count ? .list(texts) : nil
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
