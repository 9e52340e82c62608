// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
package import SigningCore
package import SigningCrypto
internal import SigningStorage

/// What an owner gives to one client, so that rules can tell it from all others.
///
/// The vault keeps its digest, sealed as one of its settings, and keeps the name for ever: nothing
/// that was allowed to a token is inherited by a later one.
package struct AccessToken: Hashable, Sendable {
    /// Why a text proves nobody.
    package enum Refusal: Error, Hashable, Sendable {
        case unknown, revoked, expired
    }

    /// What a token may be narrowed to: the protocols whose requests it hands in, and what it
    /// reads.
    package struct Scope: Hashable, Sendable {
        /// What can be read besides: the public halves of keys, policy and limits, explanations.
        package static let reads = ["keys", "limits", "explain"]

        /// Their words; nil where nothing is kept from it.
        package let words: [String]?

        /// Narrows it to these; nil for everything.
        package init(_ words: [String]?) { self.words = words }

        /// Whether it holds a protocol, or something that is read.
        package func holds(_ word: String) -> Bool { words?.contains(word) ?? true }
    }

    /// The name, which stands for it everywhere.
    package let name: String
    /// Whether a profile of a browser holds it, which speaks for its pages.
    package let isBrowser: Bool
    /// What it may ask at all.
    package let scope: Scope
    /// Since when it is good.
    package let created: Timestamp
    /// The first moment it is not; nil for never.
    package let expires: Timestamp?
    /// When it was taken back; nil where it was not.
    package private(set) var revoked: Timestamp?
    /// SHA-256 of its text, 32 bytes.
    private let digest: [UInt8]

    /// What its text begins with, so that whoever looks for lost secrets finds it.
    package static let prefix = "countersign_"
    /// How many bytes of it nobody guesses, before they are written in hexadecimal digits.
    package static let randomCount = 32
    /// How many characters its text has.
    package static let textCount = prefix.utf8.count + 2 * randomCount
    /// The most that are good, or may be again, at one time.
    package static let countMax = 64
    /// The most names that one home ever gives.
    package static let namesMax = 1_000
    /// What the names of the vault's settings begin with that keep them.
    package static let settingPrefix = "agent.token."

    /// The text of a new one, that its holder has to send.
    package static func makeText() -> SecretBytes {
        let digits = SecretText.hex(of: SecretBytes.random(count: randomCount))
        return SecretBytes(count: textCount) { output in
            for (place, byte) in prefix.utf8.enumerated() { output[place] = byte }
            digits.withSpan { digits in
                for place in digits.indices { output[prefix.utf8.count + place] = digits[place] }
            }
        }
    }

    /// Makes one of its text; it is good for so many days, or for ever.
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

    /// Whether it has ended by itself.
    package func isExpired(at time: Timestamp) -> Bool { expires.map { $0 <= time } ?? false }

    /// The same, taken back.
    package func revoking(at time: Timestamp) -> AccessToken {
        var copy = self
        copy.revoked = time
        return copy
    }

    /// Whether a client that something is remembered of was its holder.
    package func backs(_ client: String, _ proof: Client.Proof) -> Bool {
        isBrowser
            ? proof == .browser(profile: name)
            : proof == .token && client == Client.tokenPrefix + name
    }
}

extension [AccessToken] {
    /// The one whose text this is, at a time.
    ///
    /// All are looked at: how long it takes says nothing of which.
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

    /// The one of this name that is good at a time.
    func standing(_ name: String, at time: Timestamp) -> AccessToken? {
        first { $0.name == name && $0.revoked == nil && !$0.isExpired(at: time) }
    }
}

// MARK: As the vault keeps it

extension AccessToken {
    fileprivate func hasDigest(_ other: [UInt8]) -> Bool {
        ConstantTime.isEqual(digest.span, other.span)
    }

    /// All that these settings of a vault keep, by name.
    package static func all(in settings: [String: String]) -> [AccessToken] {
        settings.compactMap { AccessToken(setting: $0.key, $0.value) }.sorted { $0.name < $1.name }
    }

    /// The name of the setting that keeps it.
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
        // Of a scope that cannot be read nothing is left.
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
