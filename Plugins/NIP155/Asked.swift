// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

/// What a method asks for, with everything it needs but the account.
enum Asked: Hashable, Sendable {
    case publicKey(wishes: [PermissionWish])
    case sign(EventTemplate, returnsEvent: Bool)
    case encrypt(plaintext: String, peer: [UInt8])
    case decrypt(payload: [UInt8], peer: [UInt8])

    /// The account the payload itself names.
    var author: [UInt8]? {
        guard case .sign(let template, _) = self else { return nil }
        return template.claimedKey
    }

    /// The use of the account's key, with all that policies judge.
    func operation(by account: Account, at now: Timestamp) -> RequestedOperation {
        switch self {
        case .publicKey:
            return RequestedOperation(
                account: account, operation: .publicKey, facts: [], effects: [.revealsKey],
                dangers: [])
        case .sign(let template, _):
            return template.operation(by: account, at: now)
        case .encrypt(let plaintext, let peer):
            return RequestedOperation(
                account: account,
                operation: .encrypt(.nip44, peer: peer, plaintext: Array(plaintext.utf8)),
                facts: Self.facts(peer: peer), effects: [.encrypts],
                dangers: VisibleText.hasHidden(plaintext) ? [.controlCharacters] : [])
        case .decrypt(let payload, let peer):
            let isLong = payload.count > NIP44Text.smallPayloadBytesMax
            return RequestedOperation(
                account: account, operation: .decrypt(.nip44, peer: peer, payload: payload),
                facts: Self.facts(peer: peer), effects: [.decrypts],
                dangers: isLong ? [.decrypt, .longPlaintext] : [.decrypt])
        }
    }

    private static func facts(peer: [UInt8]) -> [Fact] {
        [
            Fact("peer", .text(Hex.encode(peer.span))),
            Fact("scheme", .text(CipherScheme.nip44.rawValue)),
        ]
    }
}

extension EventTemplate {
    /// An event larger than this is no ordinary one.
    static let usualBytesMax = 64 << 10

    /// Whether the client wrote another author than the account that signs.
    func isKeyReplaced(by account: Account) -> Bool {
        claimedKey.map { $0 != account.publicKey } ?? false
    }

    func operation(by account: Account, at now: Timestamp) -> RequestedOperation {
        let preimage = event.preimage(publicKey: Hex.encode(account.publicKey.span))
        let isKeyReplaced = isKeyReplaced(by: account)
        var dangers = event.kind.dangers
        if isKeyReplaced { dangers.append(.pubkeyMismatch) }
        if event.hasHiddenText { dangers.append(.controlCharacters) }
        if preimage.count > Self.usualBytesMax { dangers.append(.oversize) }
        return RequestedOperation(
            account: account,
            operation: .sign(SigningInput(domain: NostrEvent.domain.id, preimage: preimage)),
            facts: event.facts(
                skewSeconds: isDated ? event.createdAt - now.seconds : nil,
                isKeyReplaced: isKeyReplaced),
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
