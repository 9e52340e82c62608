// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningCrypto
import TestHome
import Testing

@testable import SigningVault

@Suite struct VaultPerformingTests {
    let temporary: TemporaryHome
    let vault: Vault
    let alice: Account
    let bob: Account

    init() throws {
        temporary = try TemporaryHome()
        vault = try temporary.makeVault()
        alice = try vault.addNostr("alice", 1)
        bob = try vault.addNEAR("bob", 2)
    }

    @Test("Both algorithms sign inputs of their domain, and results keep the order")
    func signs() throws {
        let results = try vault.perform(
            (alice, .sign(TestDomains.note, "note 1")), (bob, .publicKey),
            (bob, .sign(TestDomains.message, "near 1")))
        guard case .signature(let first, let digest) = results[0],
            case .signature(let second, let message) = results[2]
        else {
            Issue.record("expected signatures")
            return
        }
        #expect(results.count == 3)
        #expect(results[1] == .publicKey(bob.publicKey))
        let expected = Digest.sha256("note 1".utf8.span)
        #expect(digest == expected)
        #expect(message == Array("near 1".utf8))
        let isFirstValid = Signatures.isValidBIP340(
            signature: first.span, message: digest.span, publicKey: alice.publicKey.span)
        let isSecondValid = Signatures.isValidEd25519(
            signature: second.span, message: message.span, publicKey: bob.publicKey.span)
        #expect(isFirstValid && isSecondValid)
    }

    @Test("An extended secret signs as a seed does, in a vault that was opened again as well")
    func extendedSecret() throws {
        let own = try BIP32Ed25519.secret(
            seed: secret(of: 3), path: .algorand, mode: .khovratovich)
        let account = try vault.add(
            name: "carol", protocolID: near, algorithm: .ed25519, address: "carol.near",
            network: nil, secret: own)
        for vault in [vault, try temporary.openVault()] {
            let results = try vault.perform((account, .sign(TestDomains.message, "near 1")))
            guard case .signature(let signature, let message) = results[0] else {
                Issue.record("expected a signature")
                return
            }
            let isValid = Signatures.isValidEd25519(
                signature: signature.span, message: message.span,
                publicKey: account.publicKey.span)
            #expect(isValid)
        }
    }

    @Test("Bytes that are not the domain's, or another key's, are refused")
    func refusesBytes() throws {
        let note = TestDomains.note.id
        let refusals: [(Account, KeyOperation, DomainError)] = [
            (alice, .sign(TestDomains.note, "other"), .wrongBytes(note)),
            (
                alice, .sign(TestDomains.note, "note" + String(repeating: "x", count: 61)),
                .wrongBytes(note)
            ),
            (bob, .sign(TestDomains.note, "note"), .wrongKey(note)),
            (alice, .sign(TestDomains.message, "near"), .wrongKey(TestDomains.message.id)),
            (
                alice, .sign(SigningInput(domain: .init("no/such"), preimage: [])),
                .notRegistered(.init("no/such"))
            ),
        ]
        for (account, operation, error) in refusals {
            #expect(throws: KeyStoreError.domain(error)) {
                try vault.perform((account, operation))
            }
        }
        // The refused requests opened no key.
        #expect(vault.openKeyCount == 0)
    }

    @Test("One refused operation stops all, before any key is opened")
    func allOrNothing() throws {
        #expect(throws: KeyStoreError.self) {
            try vault.perform(
                (alice, .sign(TestDomains.note, "note")), (bob, .sign(TestDomains.message, "x")))
        }
        #expect(vault.openKeyCount == 0)
    }

    @Test("A judged account that is not the one on record is refused")
    func changedAccount() throws {
        let changed = Account(
            id: alice.id, name: alice.name, protocolID: alice.protocolID,
            algorithm: alice.algorithm, publicKey: alice.publicKey, address: "npub-mallory",
            network: alice.network)
        #expect(throws: KeyStoreError.damaged(name: "alice")) {
            try vault.perform((changed, .publicKey))
        }
        let unknown = Account(
            id: KeyID("0"), name: "x", protocolID: nostr, algorithm: .bip340, publicKey: [],
            address: "", network: nil)
        #expect(throws: KeyStoreError.unknownKey(KeyID("0"))) {
            try vault.perform((unknown, .publicKey))
        }
    }

    @Test("Text is encrypted for a peer who can read it, and back")
    func encryption() throws {
        let carol = try vault.addNostr("carol", 3)
        let plaintext = Array("hello".utf8)
        let sent = try vault.perform(
            (alice, .encrypt(.nip44, peer: carol.publicKey, plaintext: plaintext)))
        guard case .ciphertext(let payload) = sent.first else {
            Issue.record("expected a payload")
            return
        }
        #expect(
            try vault.perform((carol, .decrypt(.nip44, peer: alice.publicKey, payload: payload)))
                == [.plaintext(plaintext)])
    }

    @Test("Every payload that does not decrypt is the same error")
    func undecryptable() throws {
        let sent = try vault.perform(
            (alice, .encrypt(.nip44, peer: alice.publicKey, plaintext: [1])))
        guard case .ciphertext(let payload) = sent.first else {
            Issue.record("expected a payload")
            return
        }
        var changed = payload
        changed[40] ^= 1
        let other = try Secp256k1Key(secret: secret(of: 9)).publicKey
        let cases: [(peer: [UInt8], payload: [UInt8])] = [
            (alice.publicKey, changed), (alice.publicKey, []), (alice.publicKey, payload + [0]),
            (alice.publicKey, Array(payload.dropLast())), (other, payload),
        ]
        for (peer, payload) in cases {
            #expect(throws: KeyStoreError.undecryptable) {
                try vault.perform((alice, .decrypt(.nip44, peer: peer, payload: payload)))
            }
        }
    }

    @Test("Encryption is for Nostr keys, real peers and texts of a legal length")
    func unsupported() throws {
        let peer = alice.publicKey
        let elsewhere = try vault.add(
            name: "dave", protocolID: near, algorithm: .bip340, address: "dave", network: nil,
            secret: secret(of: 4))
        let tooLong = [UInt8](repeating: 0, count: NIP44.plaintextBytesMax + 1)
        let operations: [(Account, KeyOperation)] = [
            (bob, .encrypt(.nip44, peer: peer, plaintext: [1])),
            (bob, .decrypt(.nip44, peer: peer, payload: [1])),
            (elsewhere, .encrypt(.nip44, peer: peer, plaintext: [1])),
            (elsewhere, .decrypt(.nip44, peer: peer, payload: [1])),
            (alice, .encrypt(.nip44, peer: peer, plaintext: [])),
            (alice, .encrypt(.nip44, peer: peer, plaintext: tooLong)),
        ]
        for (account, operation) in operations {
            #expect(throws: KeyStoreError.unsupportedOperation) {
                try vault.perform((account, operation))
            }
        }
    }

    @Test("A peer with an invalid public key is refused before any key is opened")
    func invalidPeer() throws {
        for peer in [[], [UInt8](repeating: 0xFF, count: 32), [UInt8](repeating: 0, count: 32)] {
            let operations: [KeyOperation] = [
                .encrypt(.nip44, peer: peer, plaintext: [1]),
                .decrypt(.nip44, peer: peer, payload: [1]),
            ]
            for operation in operations {
                #expect(throws: KeyStoreError.invalidPeer) {
                    try vault.perform((alice, operation))
                }
            }
        }
        #expect(vault.openKeyCount == 0)
    }

    @Test("Many threads may sign at once")
    func threads() async throws {
        let count = await withTaskGroup(of: Bool.self) { group in
            for index in 0..<64 {
                group.addTask { [vault, alice, bob] in
                    let operation: (Account, KeyOperation) =
                        index.isMultiple(of: 2)
                        ? (alice, .sign(TestDomains.note, "note \(index)"))
                        : (bob, .sign(TestDomains.message, "near \(index)"))
                    return (try? vault.perform(operation)) != nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(count == 64)
    }
}
