// SPDX-License-Identifier: Apache-2.0

import BuiltInProtocols
import SigningCore
import SigningCrypto
import SigningFiles
import SigningPolicy
import SigningService
import SigningStorage
import SigningVault
import SigningWires

/// The open home of a command; its errors have the words of the command line.
struct Workspace: Sendable {
    let open: OpenHome

    var home: Home { open.home }
    var adapters: AdapterSet { open.adapters }
    var vault: Vault { open.vault }

    /// Opens a home; the vault stays locked.
    init(
        path: String, _ protocols: ProtocolSupport, isToChange: Bool = false,
        onlyReads: Bool = true
    ) throws(CLIError) {
        open = try CLIError.wrapping { () throws(ServiceError) in
            try OpenHome(
                at: path, speaking: protocols, toChange: isToChange,
                onlyReads: onlyReads && !isToChange)
        }
    }

    /// Performs an act of the owner on the files of the home.
    func perform<Input, Output>(
        _ act: OwnerAct<Input, Output>, _ input: Input
    ) throws(CLIError) -> Output {
        try CLIError.wrapping { () throws(ServiceError) in try act.perform(input, in: open) }
    }

    /// Performs an act of the owner that needs the passphrase.
    func perform<Input, Output>(
        _ act: PassphraseAct<Input, Output>, _ input: Input,
        with passphrase: borrowing SecretBytes
    ) throws(CLIError) -> Output {
        do throws(ServiceError) {
            return try act.perform(input, in: open, with: passphrase)
        } catch {
            throw CLIError(error)
        }
    }

    func providerID() throws(CLIError) -> String {
        try CLIError.wrapping { () throws(ServiceError) in try ProviderID.of(open) }
    }

    func policy(at path: String? = nil) throws(CLIError) -> TOMLPolicy {
        try CLIError.wrapping { () throws(ServiceError) in try open.policy(at: path) }
    }

    func openLedger() throws(CLIError) -> SQLiteLedger {
        try CLIError.wrapping { () throws(ServiceError) in try open.openLedger() }
    }

    func accounts() throws(CLIError) -> [Account] {
        try CLIError.wrapping { () throws(ServiceError) in try open.accounts() }
    }

    func account(named name: String) throws(CLIError) -> Account {
        try CLIError.wrapping { () throws(ServiceError) in try open.account(named: name) }
    }

    func attestedPolicy() throws(CLIError) -> TOMLPolicy {
        try CLIError.wrapping { () throws(ServiceError) in try open.attestedPolicy() }
    }

    func policyNote() -> (state: String, fix: String)? { open.policyNote() }

    func checkRules(allowRenaming account: Account, to new: String) throws(CLIError) {
        try CLIError.wrapping { () throws(ServiceError) in
            try open.checkRules(allowRenaming: account, to: new)
        }
    }

    func checkPolicyIsNewest(_ ledger: SQLiteLedger) throws(CLIError) {
        try CLIError.wrapping { () throws(ServiceError) in try open.checkPolicyIsNewest(ledger) }
    }

    func change<R: ~Copyable>(
        with passphrase: borrowing SecretBytes, _ body: (Vault) throws(VaultError) -> R
    ) throws(CLIError) -> R {
        do throws(ServiceError) {
            return try open.change(with: passphrase, body)
        } catch {
            throw CLIError(error)
        }
    }

    func checkpointAtExit(_ ledger: SQLiteLedger) throws(CLIError) {
        try CLIError.wrapping { () throws(ServiceError) in try open.checkpointAtExit(ledger) }
    }

    /// Writes a checkpoint and only warns on an error, as the change before it is already done.
    func checkpointIfSound(_ ledger: SQLiteLedger, _ console: Console) {
        do throws(CLIError) {
            try checkpointAtExit(ledger)
        } catch {
            console.warn(error.message, hint: error.hint ?? "see \"countersign doctor\"")
        }
    }

    func unlock(_ passphrase: borrowing SecretBytes) throws(CLIError) {
        do throws(ServiceError) { try open.unlock(passphrase) } catch { throw CLIError(error) }
    }
}
