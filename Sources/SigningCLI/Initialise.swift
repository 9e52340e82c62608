// SPDX-License-Identifier: Apache-2.0

import Glibc
import PolicyPresets
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningStorage

extension CommandLineTool {
    static let initialise = Command(
        name: "init", options: [], operands: 0...0,
        usage: """
            usage: countersign init

            Makes the home folder (0700) with an empty vault, sealed by a new passphrase, an empty
            ledger, and a policy.toml that asks about everything and explains itself.

            example: countersign init --home ~/.countersign
            """
    ) { invocation throws(CLIError) in
        let path = try invocation.environment.home(invocation.arguments)
        let home = try CLIError.wrapping { () throws(HomeError) in try Home.create(at: path) }
        guard Descriptor(opening: home.vaultPath, O_RDONLY) == nil else {
            throw CLIError("there is a vault in \(path)", hint: "name another home with --home DIR")
        }
        let passphrase = try invocation.passphrase().readNew()
        try create(home, passphrase)
        invocation.console.done(["home": .string(path)], "made \(path)")
        invocation.console.note(
            "next: countersign key new --protocol nostr --name NAME, then edit "
                + "\(home.policyPath) and run countersign policy attest")
        return .done
    }

    private static func create(
        _ home: Home, _ passphrase: borrowing SecretBytes
    ) throws(CLIError) {
        do throws(VaultError) {
            try Vault.create(in: home, passphrase: passphrase)
            let vault = try Vault.open(home, domains: DomainRegistry([]))
            try vault.setSetting(
                Workspace.providerIDSetting,
                to: UUIDText.version4(Randomness.bytes(UUIDText.byteCount)))
        } catch {
            throw CLIError(error)
        }
        try CLIError.wrapping { () throws(LedgerError) in try SQLiteLedger.create(in: home) }
        try NewFile.write(PolicyPreset.askEverything.source, to: home.policyPath)
        let workspace = try Workspace(path: home.path)
        let loaded = try PolicyLoading.load(path: home.policyPath, adapters: workspace.adapters)
        guard let policy = loaded.policy else {
            throw CLIError("the first policy cannot be used: \(loaded.mistakes)", hint: nil)
        }
        try workspace.attest(policy, loaded.source, passphrase)
    }
}

/// Writes a file that must not be there yet, for its owner alone.
enum NewFile {
    static func write(_ bytes: [UInt8], to path: String) throws(CLIError) {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
        guard let file = Descriptor(opening: path, flags, mode: 0o600) else {
            throw CLIError("\(path) cannot be written", hint: "is it there already?")
        }
        guard Console.write(bytes, to: file.number), fsync(file.number) == 0 else {
            throw CLIError("\(path) cannot be written", hint: "is the disk full?")
        }
    }
}
