// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import SigningCore
package import SigningCrypto
internal import SigningFiles
internal import SigningHome
internal import SigningStorage
internal import SigningVault

extension UpgradeError: ExplainedError {
    /// The error in words.
    package var explained: ServiceError {
        switch self {
        case .agentRuns:
            ServiceError(
                "an agent of an older version runs for this home",
                hint: "stop the agent, then run the command again: countersign agent stop")
        }
    }
}

extension ServiceError {
    init(_ error: VaultError) {
        let hint: String? =
            switch error {
            case .wrongPassphrase: "try again; without the passphrase the keys cannot be read"
            case .corruptedRecord(let name): Self.fix(name)
            case .newerFormat: "install a newer countersign"
            case .olderFormat: Home.upgradeCommand
            case .locked: "give the passphrase"
            case .alreadyExists: "choose another name"
            case .duplicateKey: "use that name, or rename the key"
            case .duplicateAccount: "use that name; a key without a network is for all networks"
            case .unknownKey: "see \"countersign key list\""
            case .unknownPasskey: "see \"countersign liquid passkeys list\""
            case .noSecret: "export the keys of its members from the homes that have them"
            case .unknownAlgorithm: "use the program that made the key"
            case .invalidName: "give another name"
            case .invalidSecret: "check what was pasted"
            case .refusedQuestion:
                "tell the owner of the home that asks; if the question can be shown, answer no"
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
    package static func fix(_ record: String) -> String {
        switch record {
        case "vault key", "log key": "restore the home from a backup: countersign backup restore"
        case "attested policy": "check policy.toml, then countersign policy attest"
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
            case .missing: "make one with \"countersign setup\""
            case .notADirectory: "give another folder with --home DIR"
            case .wrongOwner, .readableByOthers: error.fix
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
                hint: "put a good ledger.db back; if you have no copy: countersign repair ledger")
        case .corruptLog(let text):
            self.init(
                "the shared log contains a batch that this hub refuses, so it signs nothing: "
                    + "\(text)",
                hint: "ledger.db was not changed: run countersign ledger status on every hub, and "
                    + "see Docs/Teams.md, When something fails")
        case .frozen:
            self.init(
                "all signing and exporting is frozen",
                hint: "allow it again with \"countersign thaw\"")
        case .notApproved(let text):
            self.init(
                "not approved: \(text)",
                hint: "run the command again and let the approvers of [governance] say yes")
        case .limitExceeded, .replayed, .policyChanged, .personDenied, .grantChanged,
            .connectionEnded:
            self.init("the ledger refused the change", hint: hint)
        }
    }

    init(_ error: CheckpointError) {
        switch error {
        case .brokenChain(let text):
            self.init(text, hint: "see \"countersign audit verify\"")
        case .olderVault:
            self.init(
                "vault.db is an older copy: the record knows a newer state",
                hint:
                    "put the newest vault.db back; if this is the newest: countersign repair vault"
            )
        case .olderPolicy:
            self.init(
                "the policy in the vault is not the policy that was attested last",
                hint: "check policy.toml, then countersign policy attest; if another hub attested "
                    + "a policy: countersign policy sync")
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
                "the public half of this secret key does not belong to it",
                hint: "check what was pasted")
        case .mnemonic(let error): self.init(error)
        }
    }

    private init(_ error: MnemonicError) {
        switch error {
        case .wrongWordCount(let expected):
            guard let last = expected.last, expected.count > 1 else {
                self.init(
                    "the phrase needs \(expected.first ?? 0) words, and the input has a different "
                        + "number",
                    hint: "paste all words in order")
                return
            }
            let others = expected.dropLast().map(String.init).joined(separator: ", ")
            self.init(
                "a BIP-39 phrase has \(others) or \(last) words, and the input has a different "
                    + "number",
                hint: "paste all words in order; a phrase of 25 words is an Algorand account")
        case .unknownWord(let position):
            self.init("word \(position) is not in the word list", hint: "check its spelling")
        case .notCanonical, .wrongChecksum:
            self.init("the words are not a valid phrase", hint: "check their order and spelling")
        }
    }
}

extension ServiceError {
    init(_ error: BackupError) {
        switch error {
        case .notABackup:
            self.init(
                "the file is not a backup",
                hint: "give a file that \"countersign backup create\" wrote")
        case .wrongPassphrase:
            self.init(
                "the passphrase is wrong, or the file was changed",
                hint: "give the passphrase that the vault had when the backup was made")
        case .damaged:
            self.init("the backup is damaged or incomplete", hint: "use another backup")
        case .vault(let error): self.init(error)
        case .ledger(let error): self.init(error)
        case .home(.missing(let path)):
            self.init("\(path) does not exist", hint: "check the path")
        case .home(.failed(let path, EEXIST)):
            self.init(
                "\(path) already exists",
                hint: "give the name of a new file: existing files are not overwritten")
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
                "the record is not intact, so nothing is archived: \(problem.text)",
                hint: "see \"countersign doctor\"")
        case .unverified(let segment):
            self.init(
                "the record is not complete, so nothing is archived: \(segment.text)",
                hint: "put the original file back")
        case .nameTaken(let file):
            self.init(
                "\(file) exists, but does not belong to this record",
                hint: "move the file away, then try again")
        case .tooMany:
            self.init(
                "the record has the maximum number of archived parts",
                hint: "the maximum is \(RecordArchive.segmentsMax): start a new home")
        case .notWritten(let text):
            self.init(
                text,
                hint: "free space on the disk, or check the permissions of the folder")
        case .ledger(let error): self.init(error)
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
