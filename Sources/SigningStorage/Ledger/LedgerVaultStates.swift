// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import SigningFiles
internal import SigningVault

extension SQLiteLedger {
    /// The number of the newest vault state that is stored in this ledger; 0 if there is none.
    ///
    /// Throws if the log key did not sign the stored number.
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

    /// Stores the number of the vault's current state, so that a rollback of the vault is noticed.
    func keep(vaultGeneration: Int64, signature: [UInt8]) throws(LedgerError) {
        try database.writeLocally { access, _ throws(LedgerError) in
            let known = try access.first("SELECT value FROM local WHERE name = 'vault'") {
                row throws(LedgerError) in
                String(decoding: try row.bytes(0), as: UTF8.self).split(separator: " ").first
            }
            // Another process may have stored a newer number.
            guard known.flatMap({ $0.flatMap { Int64($0) } }) ?? 0 < vaultGeneration else { return }
            try access.run(
                "INSERT OR REPLACE INTO local (name, value) VALUES ('vault', ?)",
                .bytes(Array("\(vaultGeneration) \(Hex.encode(signature.span))".utf8)))
        }
    }
}
