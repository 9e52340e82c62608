// SPDX-License-Identifier: Apache-2.0

import Algorand
import AllAdapters
import LiquidAuth
import SigningCodecs
import SigningCore
import SigningStorage
import Synchronization

/// A login at a server of Liquid Auth, from the command line.
struct LiquidCall: Sendable {
    private let invocation: Invocation
    private let workspace: Workspace
    private let uri: LiquidURI
    private let server: LiquidServer
    private let account: Account

    init(_ invocation: Invocation) throws(CLIError) {
        let arguments = invocation.arguments
        self.invocation = invocation
        let text = try invocation.operand(0)
        do throws(LiquidURI.Fault) {
            uri = try LiquidURI(text)
        } catch {
            throw .usage(
                "the address cannot be used: \(error.text)",
                hint: "write it as liquid://app.example/?requestId=...")
        }
        let authorities = try arguments.value("--ca").map { (path) throws(CLIError) in
            try Self.checked(path)
        }
        do throws(LiquidError) {
            server = try LiquidServer(
                at: uri, allowsInsecure: arguments.has("--allow-insecure"),
                authorities: authorities)
        } catch {
            throw .usage(
                "the server is to be reached without encryption",
                hint: uri.isLoopback
                    ? "for one on this machine add --allow-insecure" : "only https is used")
        }
        workspace = try invocation.workspace()
        account = try Self.account(arguments.value("--key"), workspace)
    }

    /// Logs in, and says what was proved to whom.
    func run() async throws(CLIError) -> ExitStatus {
        let console = invocation.console
        let held = try Self.passkey(of: account, for: uri.origin, workspace)
        let credential = held.map { Self.text($0.credential) }
        let user = LiquidLogin.User(
            address: account.address, key: account.name, credential: credential)
        let signing = LiquidSigning(invocation, workspace, at: uri.origin)
        let login = LiquidLogin(at: server, for: uri.requestID) { await signing.sign($0) }
        do throws(LiquidError) {
            if let credential, let held {
                do throws(LiquidError) {
                    try await login.logIn(user, with: credential)
                } catch .notFound {
                    console.note(
                        "the server does not know the passkey \(held.name): a new one is a new "
                            + "question")
                    try await login.register(user)
                }
            } else {
                try await login.register(user)
            }
        } catch {
            return try signing.end(of: error, at: uri.origin)
        }
        let name = try Self.passkey(of: account, for: uri.origin, workspace)?.name ?? ""
        console.done(
            [
                "server": .string(uri.origin.text), "account": .string(account.address),
                "key": .string(account.name), "passkey": .string(name),
                "request_id": .string(uri.requestID),
            ],
            "logged in at \(uri.origin.text): it knows now that whoever asked holds "
                + "\(account.name) (\(account.address)), by the passkey \(name)")
        return .done
    }

    /// A file of certificates that is there and can be read.
    static func checked(_ path: String) throws(CLIError) -> String {
        let hint = "give a file of certificates in PEM"
        let bytes: [UInt8]
        do throws(CLIError) {
            guard path != "-", !Source.isURL(path) else {
                throw CLIError.usage("--ca takes the name of a file", hint: hint)
            }
            bytes = try Source.read(path)
        } catch {
            throw .usage("--ca cannot be used: \(error.message)", hint: hint)
        }
        let mark = Array("-----BEGIN CERTIFICATE-----".utf8)
        guard bytes.firstRange(of: mark) != nil else {
            throw .usage("--ca holds no certificate", hint: hint)
        }
        return path
    }

    /// The key of that name, or the only Algorand key there is.
    static func account(
        _ name: String?, _ workspace: Workspace
    ) throws(CLIError) -> Account {
        if let name {
            let account = try workspace.account(named: name)
            guard account.protocolID == .algorand else {
                throw CLIError("\"\(name)\" is no Algorand key", hint: "name one with --key")
            }
            guard !account.isWatchOnly else {
                throw CLIError(
                    "\"\(name)\" is a multisignature account: it has no key to log in with",
                    hint: "log in with the key of a member")
            }
            return account
        }
        let keys = try workspace.accounts().filter {
            $0.protocolID == .algorand && !$0.isWatchOnly
        }
        guard let only = keys.first else {
            throw CLIError(
                "there is no Algorand key",
                hint: "make one: countersign key new --protocol algorand --name NAME")
        }
        guard keys.count == 1 else {
            throw .usage(
                "there are several Algorand keys",
                hint: "say which: --key \(keys.map(\.name).joined(separator: " or --key "))")
        }
        return only
    }

    static func passkeys(_ workspace: Workspace) throws(CLIError) -> [Passkey] {
        do throws(KeyStoreError) { return try workspace.vault.passkeys() } catch {
            throw CLIError("the vault cannot be read", hint: "see \"countersign doctor\"")
        }
    }

    static func passkey(
        _ name: String, _ workspace: Workspace
    ) throws(CLIError) -> Passkey {
        guard let passkey = try passkeys(workspace).first(where: { $0.name == name }) else {
            throw CLIError(
                "no passkey is called \"\(VisibleText.escaped(name))\"",
                hint: "see \"countersign liquid passkeys list\"")
        }
        return passkey
    }

    /// The one for the server's own host, else for one above it.
    static func passkey(
        of account: Account, for origin: WebOrigin, _ workspace: Workspace
    ) throws(CLIError) -> Passkey? {
        let own = try passkeys(workspace).filter { $0.address == account.address }
        let hosts = PasskeyData.hosts(of: origin.host)
        return hosts.lazy.compactMap { host in own.first { $0.host == host } }.first
    }

    static func text(_ credential: [UInt8]) -> String {
        Base64.encode(credential.span, alphabet: .url, padding: false)
    }
}

/// Takes frames of a login through the hub, and keeps how that ended.
private final class LiquidSigning: Sendable {
    private struct Ending {
        var status = ExitStatus.failed
        var error: CLIError?
    }

    private let invocation: Invocation
    private let workspace: Workspace
    private let server: ProvedServer?
    private let ending = Mutex(Ending())

    init(_ invocation: Invocation, _ workspace: Workspace, at origin: WebOrigin) {
        self.invocation = invocation
        self.workspace = workspace
        // Without encryption nothing is proved.
        server =
            origin.scheme == "https"
            ? ProvedServer(origin: origin.text, party: origin.host.registrableDomain) : nil
    }

    func sign(_ frame: [UInt8]) async -> [UInt8]? {
        do throws(CLIError) {
            guard let adapter = workspace.adapters.adapter(named: "liquid") else {
                throw CLIError("the wire \"liquid\" is not spoken here", hint: nil)
            }
            let answering = try await Answering(
                invocation, frame, for: adapter, in: workspace, from: nil, provedServer: server)
            let status = answering.finish()
            ending.withLock { $0.status = status }
            return answering.message
        } catch {
            ending.withLock { $0.error = error }
            return nil
        }
    }

    /// Tells why there is no login, where that was not told yet.
    func end(of error: LiquidError, at origin: WebOrigin) throws(CLIError) -> ExitStatus {
        let (status, failure) = ending.withLock { ($0.status, $0.error) }
        if let failure { throw failure }
        switch error {
        case .notSigned, .challenge: return status == .done ? .failed : status
        case .cancelled: throw CLIError("the login was ended", hint: "start it again")
        case .insecure, .unreachable:
            throw CLIError(error.text, hint: "see that \(origin.text) is the server that you mean")
        case .refused, .notFound:
            throw CLIError(
                error.text,
                hint: "let the app show a new address; an account that was rekeyed is refused")
        case .unexpected:
            throw CLIError(
                error.text,
                hint: "where you agreed, your signature is there; see \"liquid passkeys list\"")
        }
    }
}
