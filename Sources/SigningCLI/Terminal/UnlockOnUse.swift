// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningStorage
import Synchronization

/// The vault, unlocked between the decision and the reservation and not before: a request that
/// is denied never asks for the passphrase.
final class UnlockOnUse: KeyStore {
    private let vault: Vault
    private let checkpointer: Checkpointer
    private let passphrase: Passphrase
    private let problem = Mutex<CLIError?>(nil)

    init(_ workspace: Workspace, ledger: SQLiteLedger, passphrase: Passphrase) {
        vault = workspace.vault
        checkpointer = Checkpointer(
            vault: vault, ledger: ledger, environment: SystemEnvironment())
        self.passphrase = passphrase
    }

    /// Why unlocking failed, for the person at the terminal.
    var unlockingError: CLIError? { problem.withLock { $0 } }

    func accounts() throws(KeyStoreError) -> [Account] { try vault.accounts() }

    func seal(_ grants: [Grant]) throws(KeyStoreError) -> [SealedGrant] { try vault.seal(grants) }

    func unlock(for use: KeyUse) async throws(KeyStoreError) -> Bool {
        guard !vault.isUnlocked else { return false }
        do throws(CLIError) {
            try askAndUnlock(for: use)
            try checkLedger()
        } catch {
            vault.lock()
            problem.withLock { $0 = error }
            throw error.isCancelled ? .declined : .locked
        }
        return true
    }

    func perform(_ permit: consuming SigningPermit) throws(KeyStoreError) -> [KeyResult] {
        try vault.perform(permit)
    }

    /// A ledger that was put back to an older state has forgotten what was signed since.
    private func checkLedger() throws(CLIError) {
        do throws(CheckpointError) {
            try checkpointer.check()
        } catch {
            vault.lock()
            throw CLIError(error)
        }
    }

    /// Unlocks with the passphrase from wherever it comes; at a terminal a slip may be mended.
    private func askAndUnlock(for use: KeyUse) throws(CLIError) {
        let purpose = use.purpose
        // Who has just said yes has seen it all; others see it before they type anything.
        passphrase.announce { columns in
            use.ground == .person ? nil : use.announcement(columns: columns)
        }
        for attempt in 1...passphrase.attemptsMax {
            let secret = try passphrase.read(to: purpose, isAgain: attempt > 1)
            do throws(VaultError) {
                return try vault.unlock(passphrase: secret)
            } catch {
                guard error == .wrongPassphrase, attempt < passphrase.attemptsMax else {
                    throw CLIError(error)
                }
            }
        }
    }
}

extension KeyUse {
    /// What a passphrase is asked for, as `passphrase to use "alice"`.
    fileprivate var purpose: String {
        let names = accounts.map(\.name).reduce(into: [String]()) { once, name in
            if !once.contains(name) { once.append(name) }
        }
        let shown = names.prefix(3).map { "\"\(VisibleText.escaped($0))\"" }
            .joined(separator: ", ")
        return "use \(shown)\(names.count > 3 ? " and \(names.count - 3) more" : "")"
    }

    /// What was decided without asking: the request, and on whose word.
    fileprivate func announcement(columns: Int) -> String {
        let word =
            switch ground {
            case .person: "you said yes"
            case .rules(let ids):
                "allowed by the rule \(ids.map { "\"\($0)\"" }.joined(separator: ", "))"
            case .grants(let ids):
                "allowed by what you said before: grant \(ids.joined(separator: ", "))"
            }
        let text = TerminalPaint().painted(summary.text(columns: columns), of: summary)
        return "\n\(text)\n  \(word)\n"
    }
}
