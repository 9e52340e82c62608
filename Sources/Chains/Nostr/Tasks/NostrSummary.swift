// SPDX-License-Identifier: Apache-2.0

package import SigningCore

extension NostrUse {
    /// Returns the summary for a person.
    ///
    /// `lines` describe the client, and `dangers` are those of the request besides its operation.
    package func summary(about lines: [Summary.Line], dangers: [Danger]) -> Summary {
        let account = Summary.Line(
            "account", "\(account.name) \(PublicKeyText.npub(account.publicKey))")
        var summary = Summary(
            title: task.title, headlines: headlines,
            lines: [account] + lines + (change?.lines ?? []) + ageLines
                + task.lines(after: change),
            warnings: (operation.dangers + dangers).map(\.sentence), raw: raw)
        if let key = task.otherSide {
            summary.listed = [.init(.plain, "other side \(PublicKeyText.npub(key))")]
        }
        return summary
    }

    /// The effects of an event, which are shown however many tags it has.
    private var headlines: [Summary.Headline] {
        (task.event?.headlines(facts: operation.facts) ?? []) + (change?.headlines ?? [])
    }

    /// All bytes that are signed or encrypted.
    private var raw: [Summary.Raw] {
        switch operation.operation {
        case .sign(let input):
            (change?.raw ?? []) + [Summary.Raw("signed as", input.preimage)]
        case .encrypt(_, _, let plaintext): [Summary.Raw("text", plaintext)]
        case .decrypt(_, _, let payload): [Summary.Raw("encrypted text", payload)]
        case .publicKey, .makePasskey, .signByPasskey: []
        }
    }

    /// The validity of a signature; not an age, which would be wrong when it is read.
    private var ageLines: [Summary.Line] {
        guard let expires else { return [] }
        return [Summary.Line("useful until", "\(expires.utcText), when this question ends")]
    }
}

extension NostrTask {
    /// The key that a text is encrypted for or comes from.
    fileprivate var otherSide: [UInt8]? {
        switch self {
        case .encrypt(_, _, let peer), .decrypt(_, _, let peer): peer
        case .openZap(let zap): zap.receiver
        case .publicKey, .sign: nil
        }
    }

    fileprivate var title: String {
        switch self {
        case .publicKey: "Show a client your Nostr public key"
        case .sign(let template):
            (template.event.kind.consequence.map { "\($0): sign a Nostr event, " }
                ?? "Sign a Nostr event: ") + template.event.kind.label
        case .encrypt: "Encrypt a text for a Nostr key"
        case .decrypt: "Let the client read a private text: decrypt it"
        case .openZap: "Let the client read a private zap: decrypt it"
        }
    }

    /// Returns the lines; those of entries that a list keeps are left out.
    fileprivate func lines(after change: ListChange?) -> [Summary.Line] {
        switch self {
        case .publicKey: return []
        case .sign(let template):
            let isLeftOut: (([String]) -> Bool)? = change?.repeats
            return template.event.lines(isDated: template.isDated, leavingOut: isLeftOut)
                + (template.claimedKey.map { key in
                    [Summary.Line("author it named", PublicKeyText.npub(key), by: .client)]
                } ?? [])
        case .encrypt(let scheme, let plaintext, let peer):
            return [
                Summary.Line("other side", PublicKeyText.npub(peer)),
                Summary.Line("encryption", scheme.label),
                Summary.Line(
                    "kind",
                    (PlaintextClass(plaintext)?.label
                        ?? "unclear: the text could be read as an event")
                        + ", \(plaintext.utf8.count) bytes"),
                Summary.Line("text", plaintext, by: .client),
            ]
        case .decrypt(let scheme, let payload, let peer):
            return [
                Summary.Line("other side", PublicKeyText.npub(peer)),
                Summary.Line("encrypted text", "\(payload.count) bytes, \(scheme.label)"),
            ]
        case .openZap(let zap):
            return [
                Summary.Line("zap to", PublicKeyText.npub(zap.receiver)),
                Summary.Line("for", zap.zapped.map { "event \($0)" } ?? "the profile"),
                Summary.Line("time", Timestamp(seconds: zap.createdAt).utcText),
                Summary.Line("paid", zap.isReceipt ? "a receipt was sent" : "not shown"),
            ]
        }
    }
}

extension EventKind {
    fileprivate var consequence: String? {
        switch self {
        case .relayAuthentication, .httpAuthentication: "Log in as you"
        case .deletion: "Delete events of yours"
        case .vanish: "Delete all that you published"
        default: nil
        }
    }
}

extension CipherScheme {
    /// The encryption scheme in words.
    package var label: String {
        switch self {
        case .nip04: "NIP-04, which anyone can change unnoticed"
        case .nip44: "NIP-44"
        case .privateZap, .sentPrivateZap: "a private zap"
        }
    }
}

extension NostrEvent {
    /// The events that relays delete after they receive this event; empty if they keep all.
    private var replacedLines: [Summary.Line] {
        guard kind.isReplaceable || kind.isAddressable else { return [] }
        let label = kind.name ?? "event of kind \(kind.number)"
        let line = Summary.Line("replaces", "your earlier \(label)")
        guard kind.isAddressable else { return [line] }
        return [line, Summary.Line("named", identifier, by: .client)]
    }

    /// The event in lines; the tags that are left out are counted, and are in the details.
    package func lines(
        isDated: Bool, leavingOut isLeftOut: (([String]) -> Bool)? = nil
    ) -> [Summary.Line] {
        var lines = replacedLines
        lines += [
            Summary.Line("content", content, by: .client),
            Summary.Line("time", Timestamp(seconds: createdAt).utcText + (isDated ? "" : " (now)")),
        ]
        // An event of a kind without a name describes itself with this tag (NIP-31).
        if kind.name == nil, let alt = onlyValue(of: "alt") {
            lines.append(Summary.Line("says it is", alt, by: .client))
        }
        // The place of a login comes first, however many tags there are.
        let tags = isLeftOut.map { isLeftOut in self.tags.filter { !isLeftOut($0) } } ?? self.tags
        let leftOutCount = self.tags.count - tags.count
        if leftOutCount > 0 {
            let words = leftOutCount == 1 ? "entry is" : "entries are"
            lines.append(
                Summary.Line(
                    "unchanged", "\(leftOutCount) \(words) as before; all are in the details"))
        }
        let leading = ["u", "method", "relay", "challenge", "payload", "amount", "p", "e", "a"]
        let sorted =
            leading.flatMap { name in tags.filter { $0[0] == name } }
            + tags.filter { !leading.contains($0[0]) }
        return lines + sorted.map { Summary.Line("tag", parts: $0, by: .client) }
    }
}
