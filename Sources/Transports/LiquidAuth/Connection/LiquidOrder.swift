// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
public import SigningCore
internal import SigningNetwork

/// The settings of a connection to a page: server, account, network paths and time limits.
public struct LiquidOrder: Sendable {
    /// The address that the page shows.
    public let uri: LiquidURI
    /// The account that logs in.
    public let user: LiquidLogin.User
    /// The servers that help to connect; no others are asked.
    public var servers: [ICEServer] = []
    /// The addresses of this machine that the page gets; empty for all addresses.
    public var addresses: [String] = []
    /// True if a server on this machine may be reached without encryption.
    public var allowsInsecure = false
    /// The trusted certificates that replace those of the system.
    public var authorities: LiquidAuthorities?
    /// The limits of the channel.
    public var patience = ChannelPatience()

    /// Creates an order with the default settings.
    public init(to uri: LiquidURI, as user: LiquidLogin.User) {
        self.uri = uri
        self.user = user
    }

    /// The peer of the page's requests: the server, if its certificate proves it.
    public var peer: Peer {
        let origin = uri.origin
        guard origin.scheme == "https" else { return Peer(channel: "liquid", claim: origin.text) }
        return Peer(
            channel: "liquid",
            provedServer: ProvedServer(origin: origin.text, party: origin.host.registrableDomain))
    }
}

/// The progress of a connection.
public enum LiquidStage: Hashable, Sendable {
    /// The account is logged in.
    case loggedIn
    /// The server does not know the held passkey: a new one is a new question.
    case unknownPasskey
    /// The page has not answered yet.
    case waiting
    /// The configured relays do not work: the password is wrong, or there is no answer.
    case withoutRelay
    /// The chosen `stun:` server: the first of several that answers; nil if no server answers.
    case stunServer(String?)
    /// The page has answered.
    case connecting
    /// Requests are being answered.
    case open
    /// The numbers of messages so far.
    case counted(ChannelCount)
}

/// The reason that a connection failed.
public struct LiquidConnectionError: Error, Hashable, Sendable {
    /// The kind of failure.
    public enum Kind: String, Hashable, Sendable {
        /// The policy or a person denied the login.
        case denied
        /// The connection failed.
        case failed
        /// This side cancelled it.
        case cancelled
    }

    /// The kind of failure.
    public let kind: Kind
    /// The reason in words; texts of other parties in visible ASCII.
    public let text: String
    /// A hint for a solution, if known.
    public let hint: String?
    /// The reason of the hub, if the login was not signed.
    public let reason: Reason?

    init(_ kind: Kind, _ text: String, hint: String?, reason: Reason? = nil) {
        self.kind = kind
        self.text = text
        self.hint = hint
        self.reason = reason
    }

    static let cancelled = LiquidConnectionError(.cancelled, "it was ended here", hint: nil)

    /// Creates the error for a failed login, with the result of the hub.
    init(_ error: LiquidError, _ said: Answer.Result?) {
        switch (error, said) {
        case (.cancelled, _): self = .cancelled
        case (.notSigned, .outcome(.denied(let reason))):
            self.init(.denied, "the login was denied: \(reason.text)", hint: nil, reason: reason)
        case (.notSigned, .outcome(.failed(let reason))):
            self.init(.failed, "the login failed: \(reason.text)", hint: nil, reason: reason)
        case (.notSigned, .refused(let error)):
            self.init(.failed, "not logged in: \(error.reason)", hint: error.hint ?? Self.isShown)
        default:
            let hint =
                switch error {
                case .insecure, .unreachable: "check the URI"
                case .unexpected: "if you answered yes, the server has your signature"
                default: Self.isShown
                }
            self.init(.failed, "not logged in: \(error.text)", hint: hint)
        }
    }

    private static let isShown =
        "check that the page still shows the URI; an account that was rekeyed may be refused"

    init(_ error: SignallingError) {
        self =
            error == .missingLibrary
            ? Self(
                .failed,
                "connections to servers are not possible: \(RuntimeLibrary.webSockets.name) is "
                    + "missing",
                hint: RuntimeLibrary.webSockets.hint)
            : Self(
                .failed, "the connection to the server cannot be made", hint: "check the URI")
    }

    init(_ error: ChannelError) {
        switch error {
        case .missingProgram(let words, let hint): self.init(.failed, words, hint: hint)
        case .closed(let words), .timedOut(let words):
            self.init(
                .failed, "the channel failed: \(words.visible)",
                hint: "load the page again, and give the new URI that it shows")
        case .tooLarge: self.init(.failed, "the channel failed", hint: nil)
        case .cancelled: self = .cancelled
        }
    }
}
