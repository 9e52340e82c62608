// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCrypto
internal import SigningFiles

/// A part of the vault's public content, which only the owner may change.
enum VaultPart: String, CaseIterable, Sendable {
    case accounts = "account list"
    case policy = "attested policy"
    case settings = "settings"
    case checkpoint = "last checkpoint"
    case revoked = "revoked answers"
    case passphrase = "vault key"
    case transports = "connections"
    case passkeys
}

/// The digests of all parts of the vault, sealed together with a number.
///
/// The seal prevents that a single part is rolled back. A rollback of the whole vault is noticed by
/// the number, which the ledger stores too.
struct VaultState: Sendable {
    /// The number of the state, which grows with every change.
    ///
    /// Revocations and new checkpoints do not change it; checkpoints have their own numbers.
    var generation: Int64
    var digests: [VaultPart: [UInt8]]
    private var seal: [UInt8]

    /// The name of the record in messages.
    static let name = "vault state"

    init(generation: Int64, digests: [VaultPart: [UInt8]]) {
        self.generation = generation
        self.digests = digests
        seal = []
    }

    /// Reads the state from the file; nil if the file has none.
    init?(in access: borrowing Access<VaultError>) throws(VaultError) {
        let found = try access.first("SELECT generation, digests, seal FROM state") {
            row throws(VaultError) in
            (try row.integer(0), try row.text(1), try row.bytes(2))
        }
        guard let (generation, text, seal) = found else { return nil }
        self.init(generation: generation, digests: [:])
        self.seal = seal
        for line in text.split(separator: "\n") {
            let columns = line.split(separator: "=", maxSplits: 1)
            guard columns.count == 2, let part = VaultPart(rawValue: String(columns[0])),
                let digest = try? Hex.decode(String(columns[1]))
            else { throw .corruptedRecord(Self.name) }
            digests[part] = digest
        }
    }

    /// The sealed digest of a part; nil if the state contains none.
    ///
    /// For a part that earlier versions did not have, the digest of an empty part.
    func digest(of part: VaultPart) -> [UInt8]? {
        let nothing: [UInt8] = []
        let isNewer = part == .transports || part == .passkeys
        return digests[part] ?? (isNewer ? Digest.sha256(nothing.span) : nil)
    }

    /// Throws if the state was not sealed with this vault key.
    func check(with vaultKey: VaultKey) throws(VaultError) {
        guard ConstantTime.isEqual(seal.span, code(by: vaultKey).span) else {
            throw .corruptedRecord(Self.name)
        }
    }

    /// Seals the state and writes it in place of the old one.
    func write(
        with vaultKey: VaultKey, in access: borrowing Access<VaultError>
    ) throws(VaultError) {
        try access.run(
            "INSERT OR REPLACE INTO state (id, generation, digests, seal) VALUES (1, ?, ?, ?)",
            .integer(generation), .text(text), .bytes(code(by: vaultKey)))
    }

    private var text: String {
        VaultPart.allCases.compactMap { part in
            digests[part].map { "\(part.rawValue)=\(Hex.encode($0.span))\n" }
        }.joined()
    }

    private func code(by vaultKey: VaultKey) -> [UInt8] {
        var message: [UInt8] = []
        message.append(bigEndian: UInt64(bitPattern: generation))
        message.append(lengthPrefixed: text.utf8)
        let key = vaultKey.secret.derivedKey(for: "countersign vault state v1")
        return key.withSpan { Digest.hmacSHA256(key: $0, message.span) }
    }
}
