// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningCrypto
internal import SigningFiles

/// A transport key as stored in the vault, with the data of its connection.
package struct TransportRecord: Hashable, Sendable {
    /// The transport, such as `relays`.
    package let transport: String
    /// The public key, which identifies the record.
    package let publicKey: [UInt8]
    /// The transport's data for this key, in a format of the transport; only the owner changes it.
    package let body: [UInt8]
    /// The sealed secret key, together with a secret text of the transport.
    let sealed: [UInt8]

    /// The maximum length in bytes of the body, and of the text that is sealed with the key.
    package static let bodyBytesMax = 16 << 10

    /// The label of the sealed key: the key does not open if this data changes.
    var label: RecordLabel {
        var bytes: [UInt8] = []
        bytes.append(lengthPrefixed: "countersign transport key v1".utf8)
        bytes.append(lengthPrefixed: transport.utf8)
        bytes.append(lengthPrefixed: publicKey)
        bytes.append(lengthPrefixed: body)
        return RecordLabel(name: VaultPart.transports.rawValue, bytes: bytes)
    }
}

/// A key by which a transport identifies itself to one peer.
///
/// It signs, seals and opens the envelopes of this transport. No request of a client can use it.
package final class TransportKey: Sendable {
    private let slot: KeySlot
    private let domains: DomainRegistry

    init(_ secret: borrowing SecretBytes, signing domain: SigningDomain) throws(CryptoError) {
        let key = try SigningAlgorithm.open(domain.algorithm, secret)
        let publicKey = key.publicKey
        let account = Account(
            id: KeyID("transport"), name: "transport", protocolID: domain.protocolID,
            algorithm: domain.algorithm, publicKey: publicKey, address: "", network: nil)
        slot = KeySlot(account, key)
        domains = DomainRegistry([domain])
    }

    /// The public key.
    package var publicKey: [UInt8] { slot.account.publicKey }

    /// Signs, seals or opens an envelope.
    package func perform(_ operation: KeyOperation) throws(KeyStoreError) -> KeyResult {
        try slot.perform(KeyTask(operation, by: slot.account, in: domains))
    }
}

/// An open transport key with its data.
package struct OpenTransportKey: Sendable {
    /// The record of the key.
    package let record: TransportRecord
    /// The opened key.
    package let key: TransportKey
    /// The text that was sealed with the key.
    package let enclosed: [UInt8]
}

extension Vault {
    /// The maximum number of keys of all transports together.
    package static let transportKeysMax = 1_000

    /// Throws if a text is not a valid name for a key or another stored item.
    package static func checkName(_ name: String) throws(VaultError) { try VaultName.check(name) }

    /// The records of a transport's keys, oldest first.
    ///
    /// While the vault is locked the records are not authenticated.
    package func transportRecords(of transport: String) throws(VaultError) -> [TransportRecord] {
        let (content, damage) = try content()
        if let damage { try Self.check(.transports, against: damage) }
        return content.transports.filter { $0.transport == transport }
    }

    /// Creates and stores a key; needs an unlocked vault.
    ///
    /// `body` computes the record's body from the public key; `text` is sealed with the key.
    @discardableResult
    package func addTransportKey(
        of transport: String, signing algorithm: KeyAlgorithm, enclosing text: [UInt8] = [],
        body: (_ publicKey: [UInt8]) -> [UInt8]
    ) throws(VaultError) -> TransportRecord {
        let vaultKey = try openVaultKey()
        let secret = SecretBytes.random(count: Secp256k1Key.secretCount)
        let publicKey: [UInt8]
        do throws(CryptoError) {
            publicKey = try SigningAlgorithm.open(algorithm, secret).publicKey
        } catch {
            throw .invalidSecret
        }
        let record = try TransportRecord(
            transport, publicKey, body(publicKey), secret, text, sealedBy: vaultKey)
        try change(.transports, with: vaultKey) { access throws(VaultError) in
            let count = try access.first("SELECT COUNT(*) FROM transport_keys") {
                row throws(VaultError) in try row.integer(0)
            }
            guard count ?? 0 < Int64(Self.transportKeysMax) else {
                throw .storage("there are \(Self.transportKeysMax) connections already")
            }
            try access.insert(record)
        }
        return record
    }

    /// Replaces the body and the sealed text of a key's record; needs an unlocked vault.
    ///
    /// False, without a change, if the stored record differs from `record` or was deleted.
    package func change(
        _ record: TransportRecord, to body: [UInt8], enclosing text: [UInt8]
    ) throws(VaultError) -> Bool {
        let vaultKey = try openVaultKey()
        let opened = try record.open(with: vaultKey)
        let changed = try TransportRecord(
            record.transport, record.publicKey, body, opened.secret, text, sealedBy: vaultKey)
        var isChanged = false
        try change(.transports, with: vaultKey) { access throws(VaultError) in
            guard try TransportRecord.all(in: access).contains(record) else { return }
            try access.run(
                "UPDATE transport_keys SET body = ?, sealed = ? WHERE public_key = ?",
                .bytes(changed.body), .bytes(changed.sealed), .bytes(record.publicKey))
            isChanged = true
        }
        return isChanged
    }

    /// Deletes a key irrevocably.
    package func removeTransportKey(_ publicKey: [UInt8]) throws(VaultError) {
        try change(.transports, with: try openVaultKey()) { access throws(VaultError) in
            try access.run("DELETE FROM transport_keys WHERE public_key = ?", .bytes(publicKey))
        }
    }

    /// Opens a key, which signs only messages that `domain` admits; needs an unlocked vault.
    package func open(
        _ record: TransportRecord, signing domain: SigningDomain
    ) throws(VaultError) -> OpenTransportKey {
        let opened = try record.open(with: try openVaultKey())
        do throws(CryptoError) {
            let key = try TransportKey(opened.secret, signing: domain)
            guard key.publicKey == record.publicKey else { throw .invalidSecretKey }
            return OpenTransportKey(record: record, key: key, enclosed: opened.enclosed)
        } catch {
            throw .corruptedRecord(VaultPart.transports.rawValue)
        }
    }
}

/// The decrypted content of a transport key's record.
private struct OpenedRecord: ~Copyable {
    let secret: SecretBytes
    let enclosed: [UInt8]
}

extension TransportRecord {
    fileprivate init(
        _ transport: String, _ publicKey: [UInt8], _ body: [UInt8],
        _ secret: borrowing SecretBytes, _ text: [UInt8], sealedBy vaultKey: VaultKey
    ) throws(VaultError) {
        guard body.count <= Self.bodyBytesMax, text.count <= Self.bodyBytesMax else {
            throw .storage("the data of a connection is longer than \(Self.bodyBytesMax) bytes")
        }
        let unsealed = TransportRecord(
            transport: transport, publicKey: publicKey, body: body, sealed: [])
        let whole = SecretBytes(count: secret.count + text.count) { output in
            secret.withSpan { secret in
                for index in secret.indices { output[index] = secret[index] }
            }
            for index in text.indices { output[secret.count + index] = text[index] }
        }
        self.init(
            transport: transport, publicKey: publicKey, body: body,
            sealed: try vaultKey.seal(whole, label: unsealed.label))
    }

    /// Decrypts the secret key and the text that was sealed with it.
    fileprivate func open(with vaultKey: VaultKey) throws(VaultError) -> OpenedRecord {
        let whole = try vaultKey.open(sealed, label: label)
        let count = Secp256k1Key.secretCount
        guard whole.count >= count else { throw .corruptedRecord(VaultPart.transports.rawValue) }
        let secret = whole.withSpan { SecretBytes(copying: $0.extracting(0..<count)) }
        let enclosed = whole.withSpan { whole in
            var enclosed: [UInt8] = []
            for index in count..<whole.count { enclosed.append(whole[index]) }
            return enclosed
        }
        return OpenedRecord(secret: secret, enclosed: enclosed)
    }

    /// All records, oldest first.
    static func all(in access: borrowing Access<VaultError>) throws(VaultError) -> [TransportRecord]
    {
        try access.all(
            "SELECT transport, public_key, body, sealed FROM transport_keys ORDER BY rowid"
        ) { row throws(VaultError) in
            TransportRecord(
                transport: try row.text(0), publicKey: try row.bytes(1), body: try row.bytes(2),
                sealed: try row.bytes(3))
        }
    }

    /// The encoding of all records for the digest in the vault state.
    static func message(of records: [TransportRecord]) -> [UInt8] {
        var message: [UInt8] = []
        for record in records {
            message.append(lengthPrefixed: record.label.bytes)
            message.append(lengthPrefixed: record.sealed)
        }
        return message
    }
}

extension Access<VaultError> {
    fileprivate func insert(_ record: TransportRecord) throws(VaultError) {
        try run(
            "INSERT INTO transport_keys (transport, public_key, body, sealed) VALUES (?, ?, ?, ?)",
            .text(record.transport), .bytes(record.publicKey), .bytes(record.body),
            .bytes(record.sealed))
    }
}
