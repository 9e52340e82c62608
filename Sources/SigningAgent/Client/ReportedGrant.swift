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
    /// The limits of a yes in words; nil if there are none.
    package let limits: String?
    /// The ids of the older grants that it replaces.
    package let replaces: [String]

    /// Describes a grant of this process that an answer recorded.
    package init(_ grant: Grant, of given: Answer) {
        id = grant.idText
        answer = grant.answer
        expires = grant.expires?.utcText
        isForLogin = grant.login != nil
        limits = grant.limitWords
        replaces = given.replaced.filter(grant.replaces).map(\.idText)
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
        limits = json["limits"]?.text
        replaces = json["replaces"]?.list?.compactMap(\.text) ?? []
    }
}
