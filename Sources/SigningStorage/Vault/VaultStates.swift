// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningCrypto
internal import Synchronization

extension Vault {
    /// What the file says, read again only if it has changed, with what of it is not what was
    /// sealed; nothing is known of that while the vault is locked.
    func content() throws(VaultError) -> (VaultContent, damage: [String]?) {
        // Taken first: what is read afterwards may be newer, and is read once more then.
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

    /// What the file says, all of which is what was sealed; needs an unlocked vault.
    func sealedContent() throws(VaultError) -> VaultContent {
        let (content, damage) = try content()
        guard let damage else { throw .locked }
        guard let first = damage.first else { return content }
        throw .corruptedRecord(first)
    }

    /// What of the vault is not what was sealed, by name; needs an unlocked vault.
    package func damagedParts() throws(VaultError) -> [String] {
        guard let damage = try content().damage else { throw .locked }
        return damage
    }

    /// The numbers of the state and of the newest checkpoint in the file, unchecked.
    func stateNumbers() throws(VaultError) -> (generation: Int64, checkpoint: Int64) {
        try database.read { access throws(VaultError) in
            (
                try VaultState(in: access)?.generation ?? 0,
                try access.lastCheckpoint()?.sequence ?? 0
            )
        }
    }

    /// What SQLite itself finds wrong with the file; nil where nothing is.
    package func integrityProblem() throws(VaultError) -> String? {
        try database.integrityProblem()
    }

    /// Makes a change to one part and seals it anew, both or neither.
    ///
    /// Nobody else's change is blessed with ours: a part that `replaces` nothing must be what was
    /// sealed before, and the others keep what was sealed of them.
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
                // What replaces a part stands by itself; the rest waits for a repair.
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

    /// Seals what an older version left, if it is what that version sealed.
    ///
    /// The log key is sealed anew with it: from then on a vault without a sealed state was
    /// tampered with.
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
    /// Keeps what was read, unless the vault was locked or unlocked meanwhile.
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
        if key == nil { lend(read) }
    }
}
