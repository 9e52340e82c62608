// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
package import SigningCore

/// A grant that an answer recorded, as commands report it.
package struct ReportedGrant: Hashable, Sendable {
    /// The id in hexadecimal digits.
    package let id: String
    /// Yes or no.
    package let answer: Grant.Answer
    /// The time at which it ends, in UTC; nil if it does not expire.
    package let expires: String?
    /// True if it counts in one login only.
    package let isForLogin: Bool
    /// The number of times that a yes may be used; nil for any number.
    package let usesMax: Int64?
    /// The time in which these count; nil for once and all.
    package let per: Remembering.Period?

    /// Describes a grant of this process.
    package init(_ grant: Grant) {
        id = grant.idText
        answer = grant.answer
        expires = grant.expires?.utcText
        isForLogin = grant.login != nil
        usesMax = grant.usesMax
        per = grant.per
    }

    /// Reads the form in which the agent sends it; nil if it cannot be parsed.
    init?(_ json: JSON) {
        guard let id = json["id"]?.text,
            let answer = json["answer"]?.text.flatMap(Grant.Answer.init)
        else { return nil }
        self.id = id
        self.answer = answer
        expires = json["expires"]?.text
        isForLogin = json["session"]?.flag ?? false
        usesMax = json["uses_max"]?.integerValue
        per = json["per"]?.text.flatMap(Remembering.Period.init)
    }
}
