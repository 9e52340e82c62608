// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCrypto

/// What the vault says in the open and nobody but its owner may change.
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

/// A digest of every part, sealed as one: no part can be put back to what it was without the
/// others, and all of them together are counted.
struct VaultState: Sendable {
    /// Grows with every change but a new checkpoint, which has a number of its own.
    var generation: Int64
    var digests: [VaultPart: [UInt8]]
    private var seal: [UInt8]

    /// What messages call the record.
    static let name = "vault state"

    init(generation: Int64, digests: [VaultPart: [UInt8]]) {
        self.generation = generation
        self.digests = digests
        seal = []
    }

    /// Reads the state that is in the file; nil where there is none.
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

    /// What was sealed of a part; of one that an earlier version did not know, that there is
    /// nothing of it.
    func digest(of part: VaultPart) -> [UInt8]? {
        let nothing: [UInt8] = []
        let isNewer = part == .transports || part == .passkeys
        return digests[part] ?? (isNewer ? Digest.sha256(nothing.span) : nil)
    }

    /// Refuses a state that the owner of this key did not seal.
    func check(with vaultKey: VaultKey) throws(VaultError) {
        guard ConstantTime.isEqual(seal.span, code(by: vaultKey).span) else {
            throw .corruptedRecord(Self.name)
        }
    }

    /// Seals the state and writes it in place of the one that is there.
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
