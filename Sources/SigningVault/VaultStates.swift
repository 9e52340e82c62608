// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningCrypto
internal import SigningFiles
internal import Synchronization

extension Vault {
    /// The content of the file and the names of its damaged parts; `damage` is nil while the vault
    /// is locked, as nothing can be authenticated then.
    ///
    /// The file is read again only if it has changed.
    func content() throws(VaultError) -> (VaultContent, damage: [String]?) {
        // The stamp must be read before the content. If the file changes in between, the next call
        // finds another stamp and reads the content again.
        let stamp = try database.stampInPlace()
        let (known, vaultKey, newest, last) = state.withLock {
            ($0.content, $0.vaultKey, $0.generation, $0.stamp)
        }
        if let known {
            var isFresh = stamp != nil && stamp == last
            if !isFresh {
                isFresh = try database.query { access throws(VaultError) in
                    try known.content.version == access.version()
                }
            }
            if isFresh {
                state.withLock {
                    $0.keep(known.content, known.damage, at: stamp, checkedWith: vaultKey)
                }
                return known
            }
        }
        let (content, damage) = try database.read { access throws(VaultError) in
            let content = try VaultContent(in: access)
            return (content, vaultKey.map { content.damage(with: $0, notBefore: newest) })
        }
        state.withLock { $0.keep(content, damage, at: stamp, checkedWith: vaultKey) }
        return (content, damage)
    }

    /// The content of the file; throws unless the vault is unlocked and all parts are authentic.
    package func sealedContent() throws(VaultError) -> VaultContent {
        let (content, damage) = try content()
        guard let damage else { throw .locked }
        guard let first = damage.first else { return content }
        throw .corruptedRecord(first)
    }

    /// The names of the damaged parts; needs an unlocked vault.
    package func damagedParts() throws(VaultError) -> [String] {
        guard let damage = try content().damage else { throw .locked }
        return damage
    }

    /// The number of the state, and that of the entry of the newest checkpoint; not verified.
    package func stateNumbers() throws(VaultError) -> (generation: Int64, checkpoint: Int64) {
        try database.read { access throws(VaultError) in
            (
                try VaultState(in: access)?.generation ?? 0,
                try access.lastCheckpoint()?.sequence ?? 0
            )
        }
    }

    /// The first damage that SQLite finds in the file; nil if the file is intact.
    package func integrityProblem() throws(VaultError) -> String? {
        try database.integrityProblem()
    }

    /// Changes one part and seals it again, in one transaction.
    ///
    /// A change that another program made is never sealed. Before the change, the part must match
    /// its seal unless `replaces`; the digests of other parts stay as they were sealed.
    func change(
        _ part: VaultPart, with vaultKey: VaultKey, replaces: Bool = false,
        _ body: (borrowing Access<VaultError>) throws(VaultError) -> Void
    ) throws(VaultError) {
        try database.write { access throws(VaultError) in
            let before: [UInt8]
            var sealed: VaultState
            do throws(VaultError) {
                before = try VaultContent.digest(of: part, in: access)
                guard let found = try VaultState(in: access) else {
                    throw .corruptedRecord(VaultState.name)
                }
                try found.check(with: vaultKey)
                sealed = found
            } catch {
                guard replaces else { throw error }
                // The state is damaged. A part that is replaced is written anyway, but not sealed:
                // a repair has to do that.
                return try body(access)
            }
            guard replaces || sealed.digest(of: part) == before else {
                throw .corruptedRecord(part.rawValue)
            }
            try body(access)
            sealed.digests[part] = try VaultContent.digest(of: part, in: access)
            if part != .checkpoint, part != .revoked { sealed.generation += 1 }
            try sealed.write(with: vaultKey, in: access)
        }
        state.withLock { $0.checked = nil }
    }

    /// Seals the state of a vault of an older version that did not do so; throws if the content is
    /// not authentic by the rules of that version.
    ///
    /// The log key is also sealed in a new form, so that such an upgrade is possible only once: if
    /// the sealed state is removed later, that is noticed.
    func upgradeState(with vaultKey: VaultKey) throws(VaultError) {
        let isOld = try database.read { access throws(VaultError) in
            try VaultState(in: access) == nil
        }
        guard isOld else { return }
        try database.write { access throws(VaultError) in
            let content = try VaultContent(in: access)
            guard content.state == nil else { return }
            guard let logKey = content.logKey.openOld(with: vaultKey) else {
                throw .corruptedRecord(VaultState.name)
            }
            try content.accounts.check(with: vaultKey)
            try content.policy?.check(with: vaultKey)
            guard let checkpoint = content.checkpoint, checkpoint.sequence >= 0,
                checkpoint.isSigned(by: logKey.publicKey)
            else { throw .corruptedRecord(VaultPart.checkpoint.rawValue) }
            try content.logKey.resealed(with: vaultKey).write(in: access)
            try content.state(generation: 1).write(with: vaultKey, in: access)
        }
    }
}

extension Vault.State {
    /// Caches the content that was read, unless the vault was locked or unlocked since.
    fileprivate mutating func keep(
        _ read: VaultContent, _ damage: [String]?, at stamp: FileStamp?,
        checkedWith key: VaultKey?
    ) {
        guard vaultKey === key else { return }
        checked = .now
        self.stamp = stamp
        if damage?.isEmpty == true { generation = max(generation, read.state?.generation ?? 0) }
        guard content?.content.version != read.version else { return }
        content = (read, damage)
        if key == nil { noteUnverified(read) }
    }
}
