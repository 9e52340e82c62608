// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import SigningCore
package import SigningCrypto
internal import SigningStorage

extension UpgradeError: ExplainedError {
    /// The error in words.
    package var explained: ServiceError {
        switch self {
        case .agentRuns:
            ServiceError(
                "an agent of an older version works with this home",
                hint: "stop it, then run the command again: countersign agent stop")
        case .vault(let error): error.explained
        case .ledger(let error): error.explained
        case .home(let error): error.explained
        }
    }
}

extension ServiceError {
    init(_ error: VaultError) {
        let hint: String? =
            switch error {
            case .wrongPassphrase: "try again; without it the keys cannot be read"
            case .corruptedRecord(let name): Self.mend(name)
            case .newerFormat: "use a newer countersign"
            case .olderFormat: Home.upgradeCommand
            case .locked: "give the passphrase"
            case .alreadyExists: "choose another name"
            case .duplicateKey: "use it under that name, or rename it"
            case .duplicateAccount: "use it under that name; without a network it covers them all"
            case .unknownKey: "see \"countersign key list\""
            case .unknownPasskey: "see \"countersign liquid passkeys list\""
            case .noSecret: "export the keys of its members, where they are held"
            case .invalidName: "give another name"
            case .invalidSecret: "check what was pasted"
            case .refusedQuestion:
                "tell the home that asks; where it can be shown, it can be answered with no"
            case .storage: "see \"countersign doctor\""
            }
        if case .storage(let text) = error {
            self.init("vault.db: \(text)", hint: hint)
        } else {
            self.init(error.text, hint: hint)
        }
    }

    /// Returns the remedy for a record that differs from the sealed one.
    ///
    /// The vault key and a key's own record can only come from a backup; everything else can be
    /// sealed anew.
    package static func mend(_ record: String) -> String {
        switch record {
        case "vault key", "log key": "restore the home from a backup: countersign backup restore"
        case "attested policy": "look at policy.toml, then countersign policy attest"
        case "account list", "settings", "last checkpoint", "revoked answers", "vault state":
            "countersign repair vault"
        default:
            "countersign repair vault, then import the key again; or restore the home from a backup"
        }
    }

    init(_ error: AttestingError) {
        switch error {
        case .vault(let error): self.init(error)
        case .ledger(let error): self.init(error)
        }
    }

    init(_ error: HomeError) {
        let hint: String? =
            switch error {
            case .missing: "make one with \"countersign init\""
            case .notADirectory: "name another with --home DIR"
            case .wrongOwner, .readableByOthers: error.mend
            case .failed: "check the path and its permissions"
            }
        self.init(error.text, hint: hint)
    }

    init(_ error: LedgerError) {
        let hint = "see \"countersign doctor\""
        switch error {
        case .unavailable(let text): self.init("the record: \(text)", hint: hint)
        case .corrupt(let text):
            self.init(
                "ledger.db is damaged: \(text)",
                hint: "put a good one back; if there is none: countersign repair ledger")
        case .corruptLog(let text):
            self.init(
                "the shared log holds what this hub does not take, and nothing is signed: \(text)",
                hint: "ledger.db is as it was: run countersign ledger status on every hub, and see "
                    + "Docs/Teams.md, When something fails")
        case .frozen:
            self.init(
                "all signing and exporting is stopped",
                hint: "allow it again with \"countersign thaw\"")
        case .notApproved(let text):
            self.init(
                "not approved: \(text)",
                hint: "run the command again and let the approvers of [governance] say yes")
        case .limitExceeded, .replayed, .policyChanged, .personDenied, .grantChanged,
            .connectionEnded:
            self.init("the ledger refused", hint: hint)
        }
    }

    init(_ error: CheckpointError) {
        switch error {
        case .ledger(.corrupt(let text)):
            self.init(text, hint: "see \"countersign audit verify\"")
        case .olderVault:
            self.init(
                "vault.db was put back to an earlier state: the record knows a newer one",
                hint:
                    "put the newest back; if this is the newest you have: countersign repair vault"
            )
        case .olderPolicy:
            self.init(
                "the vault's policy is not the one that was attested last",
                hint: "look at policy.toml, then countersign policy attest; if another hub "
                    + "attested one: countersign policy sync")
        case .ledger(let error): self.init(error)
        case .vault(let error): self.init(error)
        }
    }

    init(_ error: SecretText.ParseError) {
        switch error {
        case .malformed(let expected):
            self.init("this is not a secret key", hint: "expected \(expected)")
        case .another(let what, let expected):
            self.init("this is \(what)", hint: "expected \(expected)")
        case .wrongPublicHalf:
            self.init(
                "the public half of this secret key is not its own", hint: "check what was pasted")
        case .mnemonic(let error): self.init(error)
        }
    }

    private init(_ error: MnemonicError) {
        switch error {
        case .wrongWordCount(let expected):
            guard let last = expected.last, expected.count > 1 else {
                self.init(
                    "there are not \(expected.first ?? 0) words",
                    hint: "paste all of them, in order")
                return
            }
            let others = expected.dropLast().map(String.init).joined(separator: ", ")
            self.init(
                "a BIP-39 phrase has \(others) or \(last) words, and this has another number",
                hint: "paste all of them, in order; 25 words are those of an Algorand account")
        case .unknownWord(let position):
            self.init("word \(position) is not in the list", hint: "check its spelling")
        case .notCanonical, .wrongChecksum:
            self.init("the words do not fit together", hint: "check their order and spelling")
        }
    }
}

extension ServiceError {
    init(_ error: BackupError) {
        switch error {
        case .notABackup:
            self.init("the file is no backup", hint: "give one that \"backup create\" wrote")
        case .wrongPassphrase:
            self.init(
                "the passphrase is wrong, or the file was changed",
                hint: "give the passphrase that the vault had when the backup was made")
        case .damaged:
            self.init("the backup is damaged or cut short", hint: "use another one")
        case .vault(let error): self.init(error)
        case .ledger(let error): self.init(error)
        case .home(.missing(let path)):
            self.init("\(path) does not exist", hint: "check the path")
        case .home(.failed(let path, EEXIST)):
            self.init("\(path) is there already", hint: "name a new file: none is overwritten")
        case .home(let error): self.init(error)
        }
    }
}

extension VaultError: ExplainedError {
    /// The error in words, with the command that helps.
    package var explained: ServiceError { ServiceError(self) }
}

extension AttestingError: ExplainedError {
    /// The error in words, with the command that helps.
    package var explained: ServiceError { ServiceError(self) }
}

extension HomeError: ExplainedError {
    /// The error in words, with the command that helps.
    package var explained: ServiceError { ServiceError(self) }
}

extension LedgerError: ExplainedError {
    /// The error in words, with the command that helps.
    package var explained: ServiceError { ServiceError(self) }
}

extension CheckpointError: ExplainedError {
    /// The error in words, with the command that helps.
    package var explained: ServiceError { ServiceError(self) }
}

extension SecretText.ParseError: ExplainedError {
    /// The error in words, with the command that helps.
    package var explained: ServiceError { ServiceError(self) }
}

extension ServiceError {
    init(_ error: ArchiveError) {
        switch error {
        case .broken(let problem):
            self.init(
                "the record does not hold, so nothing is archived: \(problem.text)",
                hint: "see \"countersign doctor\"")
        case .unverified(let segment):
            self.init(
                "the record is not whole, so nothing is archived: \(segment.text)",
                hint: "put the file back as it was written")
        case .inTheWay(let file):
            self.init(
                "\(file) is there, and is none of this record's",
                hint: "move it away, then try again")
        case .tooMany:
            self.init(
                "the record has as many archived parts as it can have",
                hint: "its limit is \(RecordArchive.segmentsMax): begin with another home")
        case .notWritten(let text): self.init(text, hint: "make room, or look at the folder's mode")
        case .checkpoint(let error): self.init(error)
        }
    }
}

extension ArchiveError: ExplainedError {
    /// The error in words, with the command that helps.
    package var explained: ServiceError { ServiceError(self) }
}

extension BackupError: ExplainedError {
    /// The error in words, with the command that helps.
    package var explained: ServiceError { ServiceError(self) }
}
