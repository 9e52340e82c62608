// SPDX-License-Identifier: Apache-2.0

import NEAR
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningService

/// Reads a key from the files that NEAR's command-line tools keep below `~/.near-credentials`.
enum NEARCredentials {
    /// The account and public key that a credentials file states, and those in its path.
    ///
    /// They are not verified; `read` compares them with the secret key in the file.
    struct Claims {
        var accountID: String?
        var implicitAccountID: String?
        var publicKey: String?
        let place: CredentialsPlace
    }

    /// Reads a file and checks that its path and its members agree with its key.
    static func read(
        _ source: borrowing KeySource, _ invocation: Invocation
    ) throws -> MadeSecret {
        try WordOptions.refuse(invocation.arguments, "with credentials")
        let place = CredentialsPlace(path: source.realPath ?? "")
        return try read(source.bytes, source.shown, place, invocation)
    }

    /// Reads the text of a credentials file from any source.
    static func read(
        _ text: borrowing SecretBytes, _ shown: String, _ place: CredentialsPlace,
        _ invocation: Invocation
    ) throws -> MadeSecret {
        var claims = Claims(place: place)
        var made = try made(of: text, shown, &claims)
        let publicKey = try NEARChain().publicKey(of: made.secret)
        try check(claims, publicKey: publicKey, shown)
        let arguments = invocation.arguments
        made.account = try account(
            given: arguments.value("--account"), claims, publicKey: publicKey, shown)
        made.network = try network(given: arguments.value("--network"), claims.place)
        return made
    }

    /// The secret of a file, with its seed phrase if the file holds one.
    static func made(
        of text: borrowing SecretBytes, _ shown: String, _ claims: inout Claims
    ) throws -> MadeSecret {
        let members = try Members(of: text, shown)
        claims.accountID = try members.publicText("account_id", in: text)
        claims.implicitAccountID = try members.publicText("implicit_account_id", in: text)
        claims.publicKey = try members.publicText("public_key", in: text)
        let isOld = try members.place(of: "secret_key", in: text) != nil
        if isOld, try members.place(of: "private_key", in: text) != nil {
            throw CLIError("\(shown) contains two secrets", hint: "remove one of the two")
        }
        let name = isOld ? "secret_key" : "private_key"
        guard let own = try members.secretText(name, in: text) else {
            throw CLIError("there is no private_key in \(shown)", hint: Members.hint)
        }
        let secret = try SecretText.near(own)
        guard let words = try members.secretText("master_seed_phrase", in: text) else {
            return MadeSecret(secret: secret)
        }
        let pathText = try members.publicText("seed_phrase_hd_path", in: text)
        guard let path = pathText.map({ SLIP10.Path($0) }) ?? .near else {
            throw CLIError(
                "seed_phrase_hd_path in \(shown) is not a derivation path", hint: Members.hint)
        }
        let made = try NEARSecret.make(
            from: WordOptions.entropy(of: words), SecretBytes(count: 0) { _ in }, path,
            hasPassphrase: false)
        guard made.secret.isEqual(to: secret) else {
            throw CLIError(
                "the words in \(shown) do not produce its private_key",
                hint: "import one of the two from standard input")
        }
        return made
    }

    /// Refuses a file whose claims do not match its secret.
    static func check(_ claims: Claims, publicKey: [UInt8], _ shown: String) throws {
        // No error shows a member, as a mixed-up member could be the secret.
        if let id = claims.accountID, !NEARAccountID.isValid(id) {
            throw CLIError("account_id in \(shown) is not a NEAR account id", hint: Members.hint)
        }
        let own = KeyText.ed25519(publicKey)
        let claimed = [
            ("public_key in \(shown)", claims.publicKey, own),
            (
                "implicit_account_id in \(shown)", claims.implicitAccountID,
                Hex.encode(publicKey.span)
            ),
            ("the name of \(shown)", claims.place.publicKey, own),
        ]
        for (what, claim, truth) in claimed {
            guard let claim, claim != truth else { continue }
            throw CLIError(
                "\(what) does not belong to its secret",
                hint: "check whether parts of two files were mixed up")
        }
    }

    /// The account on which the option, the file and its path agree; nil if they name no account.
    static func account(
        given: String?, _ claims: Claims, publicKey: [UInt8], _ shown: String
    ) throws -> String? {
        let binding = [given, claims.accountID, claims.place.isTheirs ? claims.place.account : nil]
            .compactMap(\.self)
        guard let first = binding.first else {
            return claims.place.account ?? claims.implicitAccountID
        }
        guard let other = binding.first(where: { $0 != first }) else { return first }
        throw CLIError(
            "\(shown) belongs to \(VisibleText.escaped(other)), not to "
                + "\(VisibleText.escaped(first))",
            hint: "for another account, import the secret from standard input")
    }

    /// The network that the option or the folder names; throws if they disagree.
    static func network(given: String?, _ place: CredentialsPlace) throws -> String? {
        if let given, let own = place.network, given != own {
            throw CLIError(
                "the file is in the folder for \(own)", hint: "leave out --network \(given)")
        }
        return given ?? place.network
    }
}

/// The members of a file; secrets stay in place or move to guarded memory.
private struct Members {
    static let hint = "a credentials file of near-cli has account_id, public_key and private_key"

    private let members: FlatMembers
    private let shown: String

    init(of text: borrowing SecretBytes, _ shown: String) throws {
        do throws(FlatMembers.ParseError) {
            members = try text.withSpan { text throws(FlatMembers.ParseError) in
                try FlatMembers(of: text)
            }
        } catch {
            throw Self.error(error, shown)
        }
        self.shown = shown
    }

    func secretText(_ name: String, in text: borrowing SecretBytes) throws -> SecretBytes? {
        guard let place = try place(of: name, in: text) else { return nil }
        return text.withSpan { SecretBytes(copying: $0.extracting(place)) }
    }

    func publicText(_ name: String, in text: borrowing SecretBytes) throws -> String? {
        guard let place = try place(of: name, in: text) else { return nil }
        let bytes = text.withSpan { text in place.map { text[$0] } }
        return String(decoding: bytes, as: UTF8.self)
    }

    func place(of name: String, in text: borrowing SecretBytes) throws -> Range<Int>? {
        do throws(FlatMembers.ParseError) {
            return try text.withSpan { text throws(FlatMembers.ParseError) in
                try members.place(of: name, in: text)
            }
        } catch {
            throw Self.error(error, shown)
        }
    }

    private static func error(_ failure: FlatMembers.ParseError, _ shown: String) -> CLIError {
        CLIError("\(shown) cannot be read: \(failure.what) at byte \(failure.offset)", hint: hint)
    }
}
