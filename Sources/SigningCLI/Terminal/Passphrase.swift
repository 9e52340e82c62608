// SPDX-License-Identifier: Apache-2.0

import Glibc
import SigningCore
import SigningCrypto
import SigningService
import SigningTerminal

/// The source of the passphrase: an outer command, a descriptor, the terminal, or the service
/// manager.
struct Passphrase: Sendable {
    /// The shortest passphrase `init` accepts, in bytes.
    static let bytesMin = 8

    let descriptor: Int32?
    private let credentials: String?
    private let kept: KeptPassphrase?

    /// Chooses the source; a command within another one takes the passphrase that was kept for it.
    init(
        _ arguments: Arguments, environment: Environment, keeping kept: KeptPassphrase? = nil
    ) throws {
        self.kept = kept
        credentials = environment["CREDENTIALS_DIRECTORY"]
        descriptor = try Self.descriptor(arguments, "--passphrase-fd")
    }

    /// The descriptor number of an option; nil without the option.
    static func descriptor(_ arguments: Arguments, _ option: String) throws -> Int32? {
        guard let text = arguments.value(option) else { return nil }
        guard let number = Int32(text), number >= 0 else {
            throw CLIError.usage(
                "\(option) \"\(VisibleText.quotable(text))\" is not a descriptor",
                hint: "write \(option) 3")
        }
        // No child process inherits the descriptor.
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        return number
    }

    /// True if a second read can return another text than the first.
    var canReadTwo: Bool { kept == nil && (descriptor != nil || Terminal() != nil) }

    /// The number of attempts for a passphrase; a descriptor or a file repeats the same text.
    var attemptsMax: Int { canAskAgain ? 3 : 1 }

    /// True if a person types it, or typed it, on the terminal of this command.
    var isTyped: Bool { kept?.isTyped ?? canAskAgain }

    private var canAskAgain: Bool { kept == nil && descriptor == nil && Terminal() != nil }

    /// Reads the passphrase of an existing vault; the prompt names the `purpose`.
    func read(to purpose: String, isAgain: Bool = false) throws -> SecretBytes {
        try read(prompt: TerminalPassphrase.prompt(to: purpose, isAgain: isAgain))
    }

    /// Reads the old passphrase for a change.
    func readOld() throws -> SecretBytes { try read(prompt: "old passphrase: ") }

    private func read(prompt: String) throws -> SecretBytes {
        if let kept { return kept.copy() }
        if let descriptor { return try SecretInput.readLine(from: descriptor) }
        if let terminal = Terminal() {
            return try terminal.readInTurn(prompt: prompt)
        }
        guard let credentials else {
            throw CLIError(
                "the passphrase cannot be asked for: there is no terminal",
                hint: "give --passphrase-fd N, run on a terminal, or set CREDENTIALS_DIRECTORY")
        }
        let path = "\(credentials)/countersign-passphrase"
        guard let file = Descriptor(opening: path, O_RDONLY) else {
            throw CLIError(
                "the credential \"countersign-passphrase\" cannot be read",
                hint: "set LoadCredential= in the unit, or run the container with --secret")
        }
        try Self.checkIsPrivate(file, path)
        return try SecretInput.readLine(from: file.number)
    }

    /// Refuses a passphrase that every user of the machine can read.
    private static func checkIsPrivate(_ file: borrowing Descriptor, _ path: String) throws {
        var status = stat()
        guard unsafe fstat(file.number, &status) == 0, status.st_mode & S_IROTH == 0 else {
            // The secret of a container belongs to root, or its file system cannot be written.
            var disk = statvfs()
            let isRead = unsafe fstatvfs(file.number, &disk) == 0
            let isReadOnly = isRead && disk.f_flag & Self.readOnlyFlag != 0
            let isFixed = isReadOnly || ![status.st_uid, 0].contains(geteuid())
            throw CLIError(
                "others can read \(VisibleText.escaped(path))",
                hint: isFixed
                    ? "give the container this secret with uid=\(geteuid()),mode=0400"
                    : "chmod o-r \(VisibleText.escaped(path))")
        }
    }

    /// `ST_RDONLY`.
    private static let readOnlyFlag: UInt = 1

    /// Reads a new passphrase of at least `bytesMin` bytes; a terminal asks twice.
    func readNew() throws -> SecretBytes {
        let first = try read(prompt: "new passphrase: ")
        guard first.count >= Self.bytesMin else {
            throw CLIError(
                "the passphrase is shorter than \(Self.bytesMin) bytes",
                hint: "use a whole sentence")
        }
        if canAskAgain, let terminal = Terminal() {
            let second = try terminal.readSecret(prompt: "again: ")
            guard first.isEqual(to: second) else {
                throw CLIError("the two passphrases differ", hint: "type the same passphrase twice")
            }
        }
        return first
    }
}
