// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore

/// A task for a key, with everything except the account.
package enum NostrTask: Hashable, Sendable {
    case publicKey
    case sign(EventTemplate)
    case encrypt(CipherScheme, plaintext: String, peer: [UInt8])
    case decrypt(CipherScheme, payload: [UInt8], peer: [UInt8])
    case openZap(Zap)

    /// The account that the payload names.
    package var author: [UInt8]? {
        switch self {
        case .sign(let template): template.claimedKey
        case .openZap(let zap): zap.receiver
        case .publicKey, .encrypt, .decrypt: nil
        }
    }

    /// The event to be signed; nil for other tasks.
    package var event: NostrEvent? {
        guard case .sign(let template) = self else { return nil }
        return template.event
    }

    /// Returns the operation of the account's key, with everything that policies judge.
    func operation(
        by account: Account, _ change: ListChange?, in context: DecodingContext
    ) -> RequestedOperation {
        switch self {
        case .publicKey:
            return RequestedOperation(
                account: account, operation: .publicKey, facts: [], effects: [.revealsKey],
                dangers: [])
        case .sign(let template):
            return template.operation(by: account, change, in: context)
        case .encrypt(let scheme, let plaintext, let peer):
            var dangers: [Danger] = scheme == .nip04 ? [.legacyEncryption] : []
            if VisibleText.hasHidden(plaintext) { dangers.append(.controlCharacters) }
            if plaintext.utf8.count > NIP44Text.usualPlaintextBytesMax {
                dangers.append(.longPlaintext)
            }
            let kind = PlaintextClass(plaintext)
            return RequestedOperation(
                account: account,
                operation: .encrypt(scheme, peer: peer, plaintext: Array(plaintext.utf8)),
                facts: Self.facts(scheme, peer: peer)
                    + (kind.map { [Fact("plaintext.class", .text($0.rawValue))] } ?? []),
                effects: [.encrypts], dangers: dangers,
                undetermined: kind == nil ? ["plaintext.class"] : [])
        case .decrypt(let scheme, let payload, let peer):
            var dangers: [Danger] = [.decrypt]
            if scheme == .nip04 { dangers.append(.legacyEncryption) }
            if payload.count > NIP44Text.smallPayloadBytesMax { dangers.append(.longPlaintext) }
            return RequestedOperation(
                account: account, operation: .decrypt(scheme, peer: peer, payload: payload),
                facts: Self.facts(scheme, peer: peer), effects: [.decrypts], dangers: dangers)
        case .openZap(let zap):
            // Every zap has a one-time key, so there is no peer that a rule could name.
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

extension EventTemplate {
    /// The size in bytes above which an event has the danger `oversize`.
    package static let usualBytesMax = 64 << 10

    /// True if the client wrote another author than the account that signs.
    package func isKeyReplaced(by account: Account) -> Bool {
        claimedKey.map { $0 != account.publicKey } ?? false
    }

    func operation(
        by account: Account, _ change: ListChange?, in context: DecodingContext
    ) -> RequestedOperation {
        let preimage = event.preimage(publicKey: Hex.encode(account.publicKey.span))
        let isKeyReplaced = isKeyReplaced(by: account)
        var dangers = event.kind.dangers
        if change?.isLoss ?? false { dangers.append(.shrinksList) }
        if isKeyReplaced { dangers.append(.pubkeyMismatch) }
        if event.hasHiddenText { dangers.append(.controlCharacters) }
        if preimage.count > Self.usualBytesMax { dangers.append(.oversize) }
        let skew = event.createdAt - context.now.seconds
        if event.isOddlyDated(skewSeconds: skew) { dangers.append(.oddTime) }
        let facts = event.facts(skewSeconds: isDated ? skew : nil, isKeyReplaced: isKeyReplaced)
        return RequestedOperation(
            account: account,
            operation: .sign(SigningInput(domain: NostrEvent.domain.id, preimage: preimage)),
            facts: facts + (change?.facts ?? []), effects: event.kind.effects, dangers: dangers,
            undetermined: event.undetermined(given: facts) + (change?.undetermined ?? []))
    }
}

extension NostrEvent {
    /// True if a person who reads content and tags would not see all of them.
    package var hasHiddenText: Bool {
        VisibleText.hasHidden(content)
            || tags.contains { tag in tag.contains { VisibleText.hasHidden($0) } }
    }
}
