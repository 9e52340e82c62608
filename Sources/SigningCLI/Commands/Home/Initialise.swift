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
        try refuseTaken(path)
        // Whoever gives up here leaves nothing behind.
        let passphrase = try invocation.passphrase().readNew()
        let made = try make(at: path) { home throws(CLIError) in try create(home, passphrase) }
        invocation.console.done(
            ["home": .string(path)],
            made ? "made \(path)" : "\(path) was all but ready: it has the passphrase given first")
        let place = invocation.arguments.value("--home").map { "--home \($0) " } ?? ""
        invocation.console.note(
            "next: countersign key new \(place)--protocol nostr --name NAME, then edit "
                + "\(path)/policy.toml and run countersign policy attest"
                + (place.isEmpty ? "" : " \(place.dropLast())"))
        return .done
    }

    /// Refuses a folder that holds a home already.
    static func refuseTaken(_ path: String) throws(CLIError) {
        let file = try CLIError.wrapping { () throws(HomeError) in
            try NewHome.fileInPlace(at: path)
        }
        if let file { throw taken(file, path) }
    }

    private static func taken(_ file: String, _ path: String) -> CLIError {
        file.hasSuffix("vault.db")
            ? CLIError("there is a vault in \(path)", hint: "name another home with --home DIR")
            : CLIError(
                "\(file) is there without its vault", hint: "see \"countersign doctor\"")
    }

    /// Makes a home as a whole or not at all; false where an earlier one was only to be put in
    /// its place.
    static func make(
        at path: String, _ body: (Home) throws(CLIError) -> Void
    ) throws(CLIError) -> Bool {
        let beginning = try CLIError.wrapping { () throws(HomeError) in
            try NewHome.begin(at: path)
        }
        switch consume beginning {
        case .finished: return false
        case .busy:
            throw CLIError("another process makes a home in \(path)", hint: "wait for it to end")
        case .taken(let file): throw taken(file, path)
        case .begun(let new):
            do throws(CLIError) {
                try body(new.home)
            } catch {
                new.home.discard()
                throw error
            }
            do throws(HomeError) { try new.finish() } catch { throw CLIError(error) }
            return true
        }
    }

    private static func create(
        _ home: Home, _ passphrase: borrowing SecretBytes
    ) throws(CLIError) {
        do throws(VaultError) {
            try Vault.create(in: home, passphrase: passphrase)
            let vault = try Vault.open(home, domains: DomainRegistry([]))
            try vault.unlock(passphrase: passphrase)
            try vault.setSetting(Workspace.providerIDSetting, to: Workspace.makeProviderID())
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
