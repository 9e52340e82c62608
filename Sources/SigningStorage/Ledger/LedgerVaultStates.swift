// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore

extension SQLiteLedger {
    /// The newest state of the vault that the log key signed for this ledger; 0 if unknown.
    func vaultGeneration(signedBy logPublicKey: [UInt8]) throws(LedgerError) -> Int64 {
        let text = try database.query { access throws(LedgerError) in
            try access.first("SELECT value FROM local WHERE name = 'vault'") {
                row throws(LedgerError) in String(decoding: try row.bytes(0), as: UTF8.self)
            }
        }
        guard let parts = text?.split(separator: " ") else { return 0 }
        guard parts.count == 2, let generation = Int64(parts[0]),
            let signature = try? Hex.decode(String(parts[1])),
            LogStatement.vaultState(generation: generation)
                .isSigned(signature, by: logPublicKey)
        else {
            throw .corrupt("the ledger's statement about the vault was not signed by the owner")
        }
        return generation
    }

    /// Stores the current state of the vault, so that a rollback is noticed.
    func keep(vaultGeneration: Int64, signature: [UInt8]) throws(LedgerError) {
        try database.writeLocally { access, _ throws(LedgerError) in
            let known = try access.first("SELECT value FROM local WHERE name = 'vault'") {
                row throws(LedgerError) in
                String(decoding: try row.bytes(0), as: UTF8.self).split(separator: " ").first
            }
            // Another process may have stored a newer one.
            guard known.flatMap({ $0.flatMap { Int64($0) } }) ?? 0 < vaultGeneration else { return }
            try access.run(
                "INSERT OR REPLACE INTO local (name, value) VALUES ('vault', ?)",
                .bytes(Array("\(vaultGeneration) \(Hex.encode(signature.span))".utf8)))
        }
    }
}
