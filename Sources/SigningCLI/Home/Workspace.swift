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
    ) throws {
        open = try OpenHome(
            at: path, speaking: protocols, toChange: isToChange,
            onlyReads: onlyReads && !isToChange)
    }

    /// Performs an act of the owner on the files of the home.
    func perform<Input, Output>(_ act: OwnerAct<Input, Output>, _ input: Input) throws -> Output {
        try act.perform(input, in: open)
    }

    /// Performs an act of the owner that needs the passphrase.
    func perform<Input, Output: ~Copyable>(
        _ act: PassphraseAct<Input, Output>, _ input: Input,
        with passphrase: borrowing SecretBytes
    ) throws -> Output {
        try act.perform(input, in: open, with: passphrase)
    }

    /// Performs an act of the owner that needs the passphrase and may need other people.
    func perform<Input, Output>(
        _ act: JointAct<Input, Output>, _ input: Input, _ ledger: SQLiteLedger? = nil,
        with passphrase: borrowing SecretBytes, _ console: Console
    ) async throws -> Output {
        try await act.perform(
            input, in: open, ledger, with: passphrase, asking: ApproverText.asking(console))
    }

    func providerID() throws -> String {
        try ProviderID.of(open)
    }

    func policy(at path: String? = nil) throws -> TOMLPolicy {
        try open.policy(at: path)
    }

    func openLedger() throws -> SQLiteLedger {
        try open.openLedger()
    }

    func accounts() throws -> [Account] {
        try open.accounts()
    }

    func account(named name: String) throws -> Account {
        try open.account(named: name)
    }

    func attestedPolicy() throws -> TOMLPolicy {
        try open.attestedPolicy()
    }

    func policyNote() -> (state: String, fix: String)? { open.policyNote() }

    func checkRules(allowRenaming account: Account, to new: String) throws {
        try open.checkRules(allowRenaming: account, to: new)
    }

    func checkPolicyIsNewest(_ ledger: SQLiteLedger) throws {
        try open.checkPolicyIsNewest(ledger)
    }

    func change<R: ~Copyable>(
        with passphrase: borrowing SecretBytes, _ body: (Vault) throws -> R
    ) throws -> R {
        try open.change(with: passphrase, body)
    }

    func checkpointAtExit(_ ledger: SQLiteLedger) throws {
        try open.checkpointAtExit(ledger)
    }

    /// Writes a checkpoint and only warns on an error, as the change before it is already done.
    func checkpointIfSound(_ ledger: SQLiteLedger, _ console: Console) {
        do {
            try checkpointAtExit(ledger)
        } catch {
            let error = CLIError(error)
            console.warn(error.message, hint: error.hint ?? "see \"countersign doctor\"")
        }
    }

    func unlock(_ passphrase: borrowing SecretBytes) throws {
        try open.unlock(passphrase)
    }
}
