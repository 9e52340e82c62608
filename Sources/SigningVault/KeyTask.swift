// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningCrypto

/// A key operation that has passed every check that needs no key.
enum KeyTask: Sendable {
    case publicKey
    case sign(message: [UInt8])
    case encrypt(CipherScheme, peer: [UInt8], plaintext: [UInt8])
    case decrypt(CipherScheme, peer: [UInt8], payload: [UInt8])

    /// Checks an operation with the account and the registered domains.
    init(
        _ operation: KeyOperation, by account: Account, in domains: DomainRegistry
    ) throws(KeyStoreError) {
        switch operation {
        case .publicKey: self = .publicKey
        // The vault performs these two operations itself, not with the key of the account.
        case .makePasskey, .signByPasskey: throw .unsupportedOperation
        case .sign(let input):
            do throws(DomainError) {
                self = .sign(message: try domains.message(for: input, by: account))
            } catch {
                throw .domain(error)
            }
            // Domains of this program refuse accounts without a key. Domains of other adapters
            // might not.
            guard !account.isWatchOnly else { throw .unsupportedOperation }
        case .encrypt(let scheme, let peer, let plaintext):
            guard account.encrypts, scheme.plaintextCounts.contains(plaintext.count) else {
                throw .unsupportedOperation
            }
            try Self.check(peer: peer)
            self = .encrypt(scheme, peer: peer, plaintext: plaintext)
        case .decrypt(let scheme, let peer, let payload):
            guard account.encrypts else { throw .unsupportedOperation }
            try Self.check(peer: peer)
            self = .decrypt(scheme, peer: peer, payload: payload)
        }
    }

    private static func check(peer: [UInt8]) throws(KeyStoreError) {
        guard XOnlyKey(peer.span) != nil else { throw .invalidPeer }
    }
}

extension Account {
    fileprivate var encrypts: Bool {
        protocolID == ProtocolID("nostr") && algorithm == .bip340
    }
}

extension CipherScheme {
    /// The permitted lengths of a text to encrypt; zaps are not created here.
    fileprivate var plaintextCounts: Range<Int> {
        switch self {
        case .nip04: 0..<NIP04.plaintextBytesMax + 1
        case .nip44: 1..<NIP44.plaintextBytesMax + 1
        case .privateZap, .sentPrivateZap: 0..<0
        }
    }
}
