// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningCrypto
internal import Synchronization

extension Vault {
    /// The content of the file and the names of its damaged parts, which are nil while the vault is
    /// locked.
    ///
    /// The file is read again only if it has changed.
    func content() throws(VaultError) -> (VaultContent, damage: [String]?) {
        // The stamp is read first: if the content is newer, the next call reads it again.
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

    /// The content of the file, all of which is authentic; needs an unlocked vault.
    func sealedContent() throws(VaultError) -> VaultContent {
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

    /// The numbers of the state and of the newest checkpoint in the file, without verification.
    func stateNumbers() throws(VaultError) -> (generation: Int64, checkpoint: Int64) {
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
    /// It never seals a change from another source: the part must match its seal before the change
    /// unless it is replaced, and the other parts keep their sealed digests.
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
                // A replacement does not depend on the old content; sealing waits for a repair.
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

    /// Seals the state of a vault from an older version, if it is authentic by that version's
    /// rules.
    ///
    /// The log key is sealed again too: from then on a vault without a sealed state was tampered
    /// with.
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
    /// Caches the content that was read, unless the vault was locked or unlocked meanwhile.
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
