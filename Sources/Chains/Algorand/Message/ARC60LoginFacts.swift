// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore
import SigningDigests

extension ARC60Login {
    /// The members that differ for every login and do not describe its purpose.
    private static let freshNames = ["nonce", "request-id"]

    /// Returns the facts about the data and about the binding to the domain.
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
            facts += fact(name, member) { $0.text.map { .text($0) } }
        }
        facts += fact("login.resources", "resources") { Self.texts($0) }
        facts += fact("login.issued", "issued-at") { _ in times.issued.map { .time($0) } }
        facts += fact("login.expires", "expiration-time") { _ in times.expires.map { .time($0) } }
        return facts + authenticatorData.facts
    }

    /// Returns the fact for a member; no fact if the member is missing.
    ///
    /// A member of the wrong type becomes an empty list: the fact is present, and no allow rule
    /// matches it as a value.
    private func fact(
        _ name: String, _ member: String, _ value: (JSON) -> FactValue?
    ) -> [Fact] {
        guard let json = json[member] else { return [] }
        return [Fact(name, value(json) ?? .list([]))]
    }

    /// Returns the elements of a list that holds only texts.
    private static func texts(_ json: JSON) -> FactValue? {
        guard let list = json.list else { return nil }
        let texts = list.compactMap { $0.text.map { FactValue.text($0) } }
        return texts.count == list.count ? .list(texts) : nil
    }

    /// Returns a hash of all members that an approval of the login covers.
    private func hash(withTimes: Bool) -> [UInt8] {
        let left = Self.freshNames + (withTimes ? [] : LoginTimes.names)
        let members = json.object?.members.filter { member in
            !left.contains { UTF8Text.isSame($0, member.name) }
        }
        let bytes = JSON.object(JSONObject(members ?? [])).write()
        return Digest.sha256(bytes.span)
    }
}
