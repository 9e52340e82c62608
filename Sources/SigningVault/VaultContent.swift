// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningCrypto
internal import SigningFiles

/// All public content of the vault, read from its file at one moment.
package final class VaultContent: Sendable {
    /// A version that changes whenever this or another process changes the file.
    struct Version: Hashable {
        let byOthers: Int64
        let byThisConnection: Int64
    }

    let version: Version
    let accounts: AccountList
    /// The policy in force; nil if none was ever attested.
    package let policy: AttestedPolicy?
    /// The settings, by name.
    let settings: [String: String]
    let checkpoint: AuditCheckpoint?
    /// The revoked grants.
    let revoked: RevokedAnswers
    let header: VaultHeader
    let logKey: SealedLogKey
    /// The records of transport keys.
    let transports: [TransportRecord]
    let passkeys: [SealedPasskey]
    /// The sealed state; nil in a file of a version that did not seal its state.
    let state: VaultState?

    init(in access: borrowing Access<VaultError>) throws(VaultError) {
        version = try access.version()
        accounts = try AccountList(in: access)
        policy = try access.attestedPolicy()
        let rows = try access.all("SELECT name, value FROM settings") {
            row throws(VaultError) in (try row.text(0), try row.text(1))
        }
        settings = Dictionary(rows) { first, _ in first }
        checkpoint = try access.lastCheckpoint()
        revoked = try RevokedAnswers(in: access)
        header = try VaultHeader(in: access)
        logKey = try SealedLogKey(in: access)
        transports = try TransportRecord.all(in: access)
        passkeys = try SealedPasskey.all(in: access)
        state = try VaultState(in: access)
    }

    /// The names of the damaged parts; empty if all parts are authentic.
    ///
    /// Only the name of the state if the state is not authentic, or older than `newest`. Then no
    /// part can be authenticated.
    func damage(with vaultKey: VaultKey, notBefore newest: Int64 = 0) -> [String] {
        guard let state, state.generation >= newest, (try? state.check(with: vaultKey)) != nil
        else { return [VaultState.name] }
        return VaultPart.allCases.filter { state.digest(of: $0) != digest(of: $0) }
            .map(\.rawValue)
    }

    /// The digest of one part.
    func digest(of part: VaultPart) -> [UInt8] {
        var message: [UInt8] = []
        switch part {
        case .accounts:
            message = VaultKey.message(of: accounts.accounts)
            message.append(lengthPrefixed: accounts.seal ?? [])
            for name in accounts.unreadable { message.append(lengthPrefixed: name.utf8) }
        case .policy:
            if let policy {
                message.append(lengthPrefixed: policy.message)
                message.append(lengthPrefixed: policy.seal)
            }
        case .settings:
            for (name, value) in settings.sorted(by: { $0.key < $1.key }) {
                message.append(lengthPrefixed: name.utf8)
                message.append(lengthPrefixed: value.utf8)
            }
        case .checkpoint: message = Self.message(of: checkpoint)
        case .revoked: message = revoked.message
        case .passphrase: message = header.message
        case .transports: message = TransportRecord.message(of: transports)
        case .passkeys: message = SealedPasskey.message(of: passkeys)
        }
        return Digest.sha256(message.span)
    }

    /// The digest of one part of the content that is now in the file.
    static func digest(
        of part: VaultPart, in access: borrowing Access<VaultError>
    ) throws(VaultError) -> [UInt8] {
        guard part == .checkpoint else { return try VaultContent(in: access).digest(of: part) }
        return Digest.sha256(message(of: try access.lastCheckpoint()).span)
    }

    private static func message(of checkpoint: AuditCheckpoint?) -> [UInt8] {
        var message: [UInt8] = []
        guard let checkpoint else { return message }
        message.append(bigEndian: UInt64(bitPattern: checkpoint.sequence))
        message.append(bigEndian: UInt64(bitPattern: checkpoint.time.seconds))
        message.append(lengthPrefixed: checkpoint.headHash)
        message.append(lengthPrefixed: checkpoint.signature)
        return message
    }

    /// Creates a state with this number and the digests of all parts; it is not sealed yet.
    func state(generation: Int64) -> VaultState {
        VaultState(
            generation: generation,
            digests: Dictionary(
                uniqueKeysWithValues: VaultPart.allCases.map { ($0, digest(of: $0)) }))
    }
}

extension Access<VaultError> {
    func version() throws(VaultError) -> VaultContent.Version {
        let byOthers = try first("PRAGMA data_version") { row throws(VaultError) in
            try row.integer(0)
        }
        return VaultContent.Version(byOthers: byOthers ?? 0, byThisConnection: changeCount)
    }
}
