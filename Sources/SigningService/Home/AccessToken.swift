// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
package import SigningCore
package import SigningCrypto

/// A secret that an owner gives to one client, so that rules can distinguish it from all others.
///
/// The vault keeps its digest as a sealed setting. It keeps the name for ever, so that a later
/// token inherits no permissions.
package struct AccessToken: Hashable, Sendable {
    /// The reasons that a text is not a valid token.
    package enum Refusal: Error, Hashable, Sendable {
        case unknown, revoked, expired
    }

    /// The protocols and data that a token is limited to.
    package struct Scope: Hashable, Sendable {
        /// The readable data: the public halves of keys, policy and limits, explanations, metrics.
        package static let reads = ["keys", "limits", "explain", "metrics"]

        /// The permitted protocols and data; nil for everything.
        package let words: [String]?

        /// Limits a token to these; nil for everything.
        package init(_ words: [String]?) { self.words = words }

        /// Returns whether the scope contains a protocol or a kind of data.
        package func holds(_ word: String) -> Bool { words?.contains(word) ?? true }
    }

    /// The name, which identifies the token everywhere.
    package let name: String
    /// True if a browser profile holds it and speaks for its pages.
    package let isBrowser: Bool
    /// The scope of its requests.
    package let scope: Scope
    /// The time at which it becomes valid.
    package let created: Timestamp
    /// The first moment at which it has expired; nil for never.
    package let expires: Timestamp?
    /// The time of its revocation; nil if it was not revoked.
    package private(set) var revoked: Timestamp?
    /// SHA-256 of its text, 32 bytes.
    private let digest: [UInt8]

    /// The first characters of its text, by which scanners for leaked secrets can find it.
    package static let prefix = "countersign_"
    /// The number of random bytes in its text, before encoding in hexadecimal digits.
    package static let randomCount = 32
    /// The number of characters of its text.
    package static let textCount = prefix.utf8.count + 2 * randomCount
    /// The most tokens that are valid, or may become so, at one time.
    package static let countMax = 64
    /// The most token names in the life of a home.
    package static let namesMax = 1_000
    /// The prefix of the vault's settings for tokens.
    package static let settingPrefix = "agent.token."

    /// Makes the text of a new token, which its client has to send.
    package static func makeText() -> SecretBytes {
        let digits = SecretText.hex(of: SecretBytes.random(count: randomCount))
        return SecretBytes(count: textCount) { output in
            for (place, byte) in prefix.utf8.enumerated() { output[place] = byte }
            digits.withSpan { digits in
                for place in digits.indices { output[prefix.utf8.count + place] = digits[place] }
            }
        }
    }

    /// Makes a token from its text; it is valid for so many days, or for ever.
    package init(
        named name: String, isBrowser: Bool, scope: Scope, at time: Timestamp, days: Int64?,
        text: borrowing SecretBytes
    ) {
        self.name = name
        self.isBrowser = isBrowser
        self.scope = scope
        created = time
        expires = days.map { time.adding(seconds: 86_400 * $0) }
        digest = text.withSpan { Digest.sha256($0) }
        revoked = nil
    }

    /// Returns whether it has expired.
    package func isExpired(at time: Timestamp) -> Bool { expires.map { $0 <= time } ?? false }

    /// Returns the token, revoked.
    package func revoking(at time: Timestamp) -> AccessToken {
        var copy = self
        copy.revoked = time
        return copy
    }

    /// Returns whether this token proved the client of a remembered answer.
    package func backs(_ client: String, _ proof: Client.Proof) -> Bool {
        isBrowser
            ? proof == .browser(profile: name)
            : proof == .token && client == Client.tokenPrefix + name
    }
}

extension [AccessToken] {
    /// Returns the valid token with this text.
    ///
    /// All tokens are compared, so that the time reveals nothing.
    package func holder(
        of text: String, at time: Timestamp
    ) throws(AccessToken.Refusal) -> AccessToken {
        let digest = Digest.sha256(text.utf8.span)
        let found = reduce(nil as AccessToken?) { found, token in
            token.hasDigest(digest) ? token : found
        }
        guard let found else { throw .unknown }
        guard found.revoked == nil else { throw .revoked }
        guard !found.isExpired(at: time) else { throw .expired }
        return found
    }

    /// Returns the token of this name that is valid at a time.
    func valid(_ name: String, at time: Timestamp) -> AccessToken? {
        first { $0.name == name && $0.revoked == nil && !$0.isExpired(at: time) }
    }
}

// MARK: As the vault keeps it

extension AccessToken {
    fileprivate func hasDigest(_ other: [UInt8]) -> Bool {
        ConstantTime.isEqual(digest.span, other.span)
    }

    /// Returns all tokens in these settings of a vault, by name.
    package static func all(in settings: [String: String]) -> [AccessToken] {
        settings.compactMap { AccessToken(setting: $0.key, $0.value) }.sorted { $0.name < $1.name }
    }

    /// The name of its setting.
    package var setting: String { Self.settingPrefix + name }

    /// The setting's value.
    package var settingText: String {
        var members: [JSONObject.Member] = [
            .init(name: "sha256", value: .string(Hex.encode(digest.span))),
            .init(name: "browser", value: .bool(isBrowser)),
            .init(name: "created", value: .integer(created.seconds)),
        ]
        if let words = scope.words {
            members.append(.init(name: "scope", value: .array(words.map { .string($0) })))
        }
        if let expires { members.append(.init(name: "expires", value: .integer(expires.seconds))) }
        if let revoked { members.append(.init(name: "revoked", value: .integer(revoked.seconds))) }
        return String(decoding: JSON.object(JSONObject(members)).write(), as: UTF8.self)
    }

    private init?(setting: String, _ text: String) {
        guard setting.hasPrefix(Self.settingPrefix),
            let json = try? JSON.parse(text.utf8.span), let hex = json["sha256"]?.text,
            let digest = try? Hex.decode(hex), digest.count == 32,
            case .bool(let isBrowser)? = json["browser"], let created = Self.time("created", json)
        else { return nil }
        name = String(setting.dropFirst(Self.settingPrefix.utf8.count))
        // A scope that cannot be read permits nothing.
        scope = Scope(json["scope"].map { $0.list?.compactMap(\.text) ?? [] })
        self.isBrowser = isBrowser
        self.created = created
        self.digest = digest
        expires = Self.time("expires", json)
        revoked = Self.time("revoked", json)
    }

    private static func time(_ name: String, _ json: JSON) -> Timestamp? {
        json[name]?.integerValue.map { Timestamp(seconds: $0) }
    }
}
