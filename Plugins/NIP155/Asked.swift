// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

/// What a method asks for, with everything it needs but the account.
enum Asked: Hashable, Sendable {
    case publicKey(wishes: [PermissionWish])
    case sign(EventTemplate, returnsEvent: Bool)
    case encrypt(CipherScheme, plaintext: String, peer: [UInt8])
    case decrypt(CipherScheme, payload: [UInt8], peer: [UInt8])
    case openZap(Zap)

    /// The account the payload itself names.
    var author: [UInt8]? {
        switch self {
        case .sign(let template, _): template.claimedKey
        case .openZap(let zap): zap.receiver
        case .publicKey, .encrypt, .decrypt: nil
        }
    }

    /// The use of the account's key, with all that policies judge.
    func operation(by account: Account, in context: DecodingContext) -> RequestedOperation {
        switch self {
        case .publicKey:
            return RequestedOperation(
                account: account, operation: .publicKey, facts: [], effects: [.revealsKey],
                dangers: [])
        case .sign(let template, _):
            return template.operation(by: account, in: context)
        case .encrypt(let scheme, let plaintext, let peer):
            var dangers: [Danger] = scheme == .nip04 ? [.legacyEncryption] : []
            if VisibleText.hasHidden(plaintext) { dangers.append(.controlCharacters) }
            if plaintext.utf8.count > NIP44Text.usualPlaintextBytesMax {
                dangers.append(.longPlaintext)
            }
            return RequestedOperation(
                account: account,
                operation: .encrypt(scheme, peer: peer, plaintext: Array(plaintext.utf8)),
                facts: Self.facts(scheme, peer: peer) + [
                    Fact("plaintext.class", .text(PlaintextClass(plaintext).rawValue))
                ],
                effects: [.encrypts], dangers: dangers)
        case .decrypt(let scheme, let payload, let peer):
            var dangers: [Danger] = [.decrypt]
            if scheme == .nip04 { dangers.append(.legacyEncryption) }
            if payload.count > NIP44Text.smallPayloadBytesMax { dangers.append(.longPlaintext) }
            return RequestedOperation(
                account: account, operation: .decrypt(scheme, peer: peer, payload: payload),
                facts: Self.facts(scheme, peer: peer), effects: [.decrypts], dangers: dangers)
        case .openZap(let zap):
            // Every zap has a one-time key, so no peer: a rule could not name one.
            return RequestedOperation(
                account: account, operation: zap.operation(for: account),
                facts: [Fact("scheme", .text(CipherScheme.privateZap.name))],
                effects: [.decrypts], dangers: [.decrypt])
        }
    }

    private static func facts(_ scheme: CipherScheme, peer: [UInt8]) -> [Fact] {
        [
            Fact("peer", .text(Hex.encode(peer.span))), Fact("scheme", .text(scheme.name)),
        ]
    }
}

/// What a text is that is encrypted, as far as its form tells.
enum PlaintextClass: String, Hashable, Sendable {
    /// A Nostr event or a part of one, as in gift wraps and drafts.
    case event
    /// An array of tags, as in the private part of lists.
    case tags
    case text

    init(_ text: String) {
        self = .text
        guard text.utf8.first == UInt8(ascii: "{") || text.utf8.first == UInt8(ascii: "["),
            let json = try? JSON.parse(text.utf8.span)
        else { return }
        if json.object != nil, json["kind"]?.integerValue != nil, json["content"]?.text != nil {
            self = .event
        } else if let list = json.list, !list.isEmpty, (try? NostrEvent.tags(json)) != nil {
            self = .tags
        }
    }

    /// The class in words.
    var label: String {
        switch self {
        case .event: "a Nostr event"
        case .tags: "a list of tags"
        case .text: "text"
        }
    }
}

extension EventTemplate {
    /// An event larger than this is no ordinary one.
    static let usualBytesMax = 64 << 10

    /// Whether the client wrote another author than the account that signs.
    func isKeyReplaced(by account: Account) -> Bool {
        claimedKey.map { $0 != account.publicKey } ?? false
    }

    func operation(by account: Account, in context: DecodingContext) -> RequestedOperation {
        let preimage = event.preimage(publicKey: Hex.encode(account.publicKey.span))
        let isKeyReplaced = isKeyReplaced(by: account)
        let change = event.listChange(of: account, in: context)
        var dangers = event.kind.dangers
        if change?.isShrinking ?? false { dangers.append(.shrinksList) }
        if isKeyReplaced { dangers.append(.pubkeyMismatch) }
        if event.hasHiddenText { dangers.append(.controlCharacters) }
        if preimage.count > Self.usualBytesMax { dangers.append(.oversize) }
        return RequestedOperation(
            account: account,
            operation: .sign(SigningInput(domain: NostrEvent.domain.id, preimage: preimage)),
            facts: event.facts(
                skewSeconds: isDated ? event.createdAt - context.now.seconds : nil,
                isKeyReplaced: isKeyReplaced) + (change?.facts ?? []),
            effects: event.kind.effects, dangers: dangers)
    }
}

extension NostrEvent {
    /// Whether a person reading content and tags would not see all of them.
    var hasHiddenText: Bool {
        VisibleText.hasHidden(content)
            || tags.contains { tag in tag.contains { VisibleText.hasHidden($0) } }
    }
}
