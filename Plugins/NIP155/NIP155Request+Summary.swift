// SPDX-License-Identifier: Apache-2.0

public import SigningCore

extension NIP155Request {
    /// What a person is shown before deciding.
    public var summary: Summary {
        var lines = [
            Summary.Line("account", "\(account.name) \(PublicKeyText.npub(account.publicKey))")
        ]
        lines += clientLines
        lines += asked.lines
        let operation = operations[0]
        let warnings = (operation.dangers + dangers).map(\.sentence)
        return Summary(title: asked.title, lines: lines, warnings: warnings)
    }

    /// What the client says about itself, and the exact place the answer goes to.
    private var clientLines: [Summary.Line] {
        var lines: [Summary.Line] = []
        if let callback = callbacks.success {
            lines.append(Summary.Line("answers to", String(callback.place), by: .client))
        }
        if let name = hints.name { lines.append(Summary.Line("calls itself", name, by: .client)) }
        if let homepage = hints.homepage {
            lines.append(Summary.Line("homepage", homepage, by: .client))
        }
        return lines
    }
}

extension Asked {
    var title: String {
        switch self {
        case .publicKey: "Tell a client your Nostr public key"
        case .sign(let template, _): "Sign a Nostr event: \(template.event.kind.label)"
        case .encrypt: "Encrypt a text for a Nostr contact"
        case .decrypt: "Decrypt a text and hand it to the client"
        }
    }

    var lines: [Summary.Line] {
        switch self {
        case .publicKey(let wishes):
            let title = "would like later"
            return wishes.map { Summary.Line(title, $0.text) }
                + (wishes.isEmpty ? [] : [Summary.Line("granted now", "nothing but the key")])
        case .sign(let template, _):
            return template.event.lines(isDated: template.isDated)
                + (template.claimedKey.map { key in
                    [Summary.Line("author it wrote", PublicKeyText.npub(key), by: .client)]
                } ?? [])
        case .encrypt(let plaintext, let peer):
            return [
                Summary.Line("contact", PublicKeyText.npub(peer)),
                Summary.Line("text", plaintext, by: .client),
            ]
        case .decrypt(let payload, let peer):
            return [
                Summary.Line("contact", PublicKeyText.npub(peer)),
                Summary.Line("encrypted text", "\(payload.count) bytes, NIP-44"),
            ]
        }
    }
}

extension NostrEvent {
    func lines(isDated: Bool) -> [Summary.Line] {
        var lines = [
            Summary.Line("content", content, by: .client),
            Summary.Line("time", Timestamp(seconds: createdAt).utcText + (isDated ? "" : " (now)")),
        ]
        // A kind without a name explains itself by this tag (NIP-31).
        if kind.name == nil, let alt = onlyValue(of: "alt") {
            lines.append(Summary.Line("says it is", alt, by: .client))
        }
        // Where a login leads stands first, however many tags there are.
        let leading: Set = ["u", "method", "relay", "challenge", "payload"]
        let sorted =
            tags.filter { leading.contains($0[0]) }
            + tags.filter { !leading.contains($0[0]) }
        return lines
            + sorted.map { Summary.Line("tag", $0.joined(separator: ", "), by: .client) }
    }
}
