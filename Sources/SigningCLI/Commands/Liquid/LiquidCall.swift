// SPDX-License-Identifier: Apache-2.0

import Algorand
import LiquidAuth
import SigningCodecs
import SigningCore
import SigningService
import SigningWires
import Synchronization

/// A login at a Liquid Auth server from the command line.
struct LiquidCall: Sendable {
    private let invocation: Invocation
    private let workspace: Workspace
    private let uri: LiquidURI
    private let server: LiquidServer
    private let user: LiquidLogin.User
    /// Keeps the temporary file of certificates until the login ends.
    private let authorities: LiquidAuthorities?

    init(_ invocation: Invocation) throws {
        let arguments = invocation.arguments
        self.invocation = invocation
        let text = try LiquidInput.address(invocation)
        do throws(LiquidURI.ParseError) {
            uri = try LiquidURI(text)
        } catch {
            throw CLIError.usage(
                "the address cannot be used: \(error.text)",
                hint: "write it as liquid://app.example/?requestId=...")
        }
        let certificates = try arguments.value("--ca").map { path in
            try LiquidInput.certificates(path)
        }
        workspace = try invocation.workspace(toWrite: true)
        authorities = try certificates.map { [workspace] bytes in
            try LiquidInput.authorities(bytes, workspace)
        }
        do throws(LiquidError) {
            server = try LiquidServer(
                at: uri, allowsInsecure: arguments.has("--allow-insecure"),
                authorities: authorities?.path)
        } catch {
            throw CLIError.usage(
                "the address names a server without encryption",
                hint: uri.isLoopback
                    ? "for a server on this machine add "
                        + "--allow-insecure" : "ask for an https address")
        }
        let account = try Self.account(arguments.value("--key"), workspace)
        user = try Self.user(account, at: uri, workspace)
    }

    /// Logs in and reports the passkey and the server.
    func run() async throws -> ExitStatus {
        let console = invocation.console
        let signing = LiquidSigning(invocation, workspace, at: uri.origin)
        let login = LiquidLogin(at: server, for: uri.requestID) { await signing.sign($0) }
        do throws(LiquidError) {
            try await login.enter(user) {
                console.note(
                    "the server does not know the passkey: making a new one is a new request")
            }
        } catch {
            return try signing.end(of: error, at: uri.origin)
        }
        let name = try passkeyName()
        console.done(
            [
                "server": .string(uri.origin.text), "account": .string(user.address),
                "key": .string(user.key), "passkey": .string(name),
                "request_id": .string(uri.requestID),
            ],
            "logged in at \(uri.origin.text): the server now accepts the app as \(user.key) "
                + "(\(user.address)), with the passkey \(name)")
        return .done
    }

    /// The owner's name of the passkey that this login used.
    private func passkeyName() throws -> String {
        let account = try workspace.account(named: user.key)
        return try workspace.open.passkeys(of: account, at: uri.origin).first?.name ?? ""
    }

    /// The account of the login, with its passkeys for a server.
    static func user(
        _ account: Account, at uri: LiquidURI, _ workspace: Workspace
    ) throws -> LiquidLogin.User {
        let held = try workspace.open.passkeys(of: account, at: uri.origin)
        return LiquidLogin.User(
            address: account.address, key: account.name, credentials: held.map(\.credentialText))
    }

    /// The key with a name, or the only Algorand key.
    static func account(_ name: String?, _ workspace: Workspace) throws -> Account {
        if let name {
            let account = try workspace.account(named: name)
            guard account.protocolID == .algorand else {
                throw CLIError(
                    "\"\(name)\" is not an Algorand key",
                    hint: "give an Algorand key with --key")
            }
            guard !account.isWatchOnly else {
                let isRekeyed = account.signedBy != nil
                throw CLIError(
                    "\"\(name)\" is a \(isRekeyed ? "rekeyed" : "multisignature") account:"
                        + " it has no key to log in with",
                    hint: isRekeyed
                        ? "import the account's own key: its passkeys are listed under that key"
                        : "log in with the key of a member")
            }
            return account
        }
        let keys = try workspace.accounts().filter {
            $0.protocolID == .algorand && !$0.isWatchOnly
        }
        guard let only = keys.first else {
            throw CLIError(
                "this home has no Algorand key",
                hint: "make one: countersign key new --protocol algorand --name NAME")
        }
        guard keys.count == 1 else {
            throw CLIError.usage(
                "this home has several Algorand keys",
                hint: "choose one: --key \(keys.map(\.name).joined(separator: " or --key "))")
        }
        return only
    }

    static func passkeys(_ workspace: Workspace) throws -> [Passkey] {
        try workspace.open.passkeys()
    }

    static func passkey(_ name: String, _ workspace: Workspace) throws -> Passkey {
        guard let passkey = try passkeys(workspace).first(where: { $0.name == name }) else {
            throw CLIError(
                "unknown passkey \"\(VisibleText.quotable(name))\"",
                hint: "see \"countersign liquid passkeys list\"")
        }
        return passkey
    }
}

/// Sends the frames of a login through the hub and keeps the outcome.
private final class LiquidSigning: Sendable {
    private struct Outcome {
        var status = ExitStatus.failed
        var error: CLIError?
    }

    /// The refusal that the caller reports after the server's second challenge is refused too.
    private static let secondChallengeRefusal = "challenge"

    private let invocation: Invocation
    private let workspace: Workspace
    private let server: ProvedServer?
    private let ending = Mutex(Outcome())

    init(_ invocation: Invocation, _ workspace: Workspace, at origin: WebOrigin) {
        self.invocation = invocation
        self.workspace = workspace
        // Without TLS the server's identity is not proved.
        server =
            origin.scheme == "https"
            ? ProvedServer(origin: origin.text, party: origin.host.registrableDomain) : nil
    }

    func sign(_ frame: [UInt8]) async -> [UInt8]? {
        do {
            guard let adapter = workspace.adapters.adapter(named: "liquid") else {
                throw CLIError("this program does not support the wire \"liquid\"", hint: nil)
            }
            let home = try await CommandHome(invocation, opened: workspace)
            let answering = try await Answering(
                invocation, frame, for: adapter, in: home, from: nil, provedServer: server,
                unreported: [Self.secondChallengeRefusal])
            let status = answering.finish()
            ending.withLock { $0.status = status }
            return answering.message
        } catch {
            ending.withLock { $0.error = CLIError(error) }
            return nil
        }
    }

    /// Throws the reason for a failed login, unless it was already reported.
    func end(of error: LiquidError, at origin: WebOrigin) throws -> ExitStatus {
        let (status, failure) = ending.withLock { ($0.status, $0.error) }
        if let failure { throw failure }
        switch error {
        case .notSigned: return status == .done ? .failed : status
        case .challenge:
            throw CLIError(
                error.text,
                hint: "the server asked for another challenge: do not trust it with this login")
        case .cancelled: throw CLIError("the login was ended", hint: "start it again")
        case .insecure, .unreachable:
            throw CLIError(
                error.text, hint: "check that \(origin.text) is the server that you mean")
        case .refused, .notFound:
            throw CLIError(
                error.text,
                hint: "ask the app for a new address; an account that was rekeyed is refused")
        case .unexpected:
            throw CLIError(
                error.text,
                hint: "if you agreed, the server has your signature; see \"countersign liquid "
                    + "passkeys list\"")
        }
    }
}
