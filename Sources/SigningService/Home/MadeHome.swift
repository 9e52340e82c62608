// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SigningCore
public import SigningCrypto
package import SigningFiles
internal import SigningHome
internal import SigningStorage
internal import SigningVault

extension OpenHome {
    /// Makes a home: an empty vault sealed by a passphrase, an empty ledger, and a policy in force.
    ///
    /// `policy` is the text of that policy; without another one it asks about everything. The home
    /// appears complete or not at all. Returns false if a finished home of a killed process only
    /// had to be moved to its place.
    @discardableResult
    public static func create(
        at path: String, speaking protocols: ProtocolSupport, passphrase: borrowing SecretBytes,
        policy: String = askingPolicy
    ) throws(ServiceError) -> Bool {
        do {
            return try make(at: path) { home in
                try Vault.create(in: home, passphrase: passphrase)
                let vault = try Vault.open(home, domains: DomainRegistry([]))
                try vault.unlock(passphrase: passphrase)
                for (name, value) in protocols.configured?.firstSettings() ?? [:] {
                    try vault.setSetting(name, to: value)
                }
                try SQLiteLedger.create(in: home)
                try NewFile.write(Array(policy.utf8), to: home.policyPath)
                let made = try OpenHome(at: home.path, speaking: protocols)
                let loaded = try PolicyLoading.load(path: home.policyPath, adapters: made.adapters)
                let policy = try loaded.usable(home.policyPath)
                try made.attest(policy, loaded.source, passphrase)
            }
        } catch {
            throw ServiceError(error)
        }
    }

    /// The text of a policy without rules, which asks about everything.
    public static let askingPolicy = "version = 2\ndefault = \"ask\"\n"

    /// Refuses a folder that already contains a home.
    public static func refuseTaken(_ path: String) throws(ServiceError) {
        do {
            let file = try NewHome.fileInPlace(at: path)
            if let file { throw taken(file, path) }
        } catch {
            throw ServiceError(error)
        }
    }

    /// True if a folder has the vault of a home.
    package static func isMade(at path: String) throws(ServiceError) -> Bool {
        do {
            return try NewHome.fileInPlace(at: path)?.hasSuffix("vault.db") == true
        } catch {
            throw ServiceError(error)
        }
    }

    private static func taken(_ file: String, _ path: String) -> ServiceError {
        file.hasSuffix("vault.db")
            ? ServiceError(
                "\(path) already contains a vault",
                hint: "give another folder with --home DIR")
            : ServiceError(
                "\(file) exists, but its vault is missing", hint: "see \"countersign doctor\"")
    }

    /// Makes a home that appears complete or not at all; false if a home of an interrupted call was
    /// completed instead.
    package static func make(at path: String, _ body: (Home) throws -> Void) throws -> Bool {
        let beginning = try NewHome.begin(at: path)
        switch consume beginning {
        case .finished: return false
        case .busy:
            throw ServiceError(
                "another process is making a home in \(path)", hint: "wait for it to end")
        case .taken(let file): throw taken(file, path)
        case .begun(let new):
            do {
                try body(new.home)
            } catch {
                new.home.discard()
                throw error
            }
            try new.finish()
            return true
        }
    }
}

/// Writes a file that must not exist yet, readable by the user alone.
public enum NewFile {
    /// Writes the complete file durably.
    public static func write(_ bytes: [UInt8], to path: String) throws(ServiceError) {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
        guard let file = Descriptor(opening: path, flags, mode: 0o600) else {
            throw ServiceError(
                "\(path) cannot be written",
                hint: "check that it does not exist yet, and the permissions of its folder")
        }
        guard Descriptor.write(bytes.span, to: file.number), fsync(file.number) == 0 else {
            throw ServiceError("\(path) cannot be written", hint: "check that the disk is not full")
        }
    }
}
