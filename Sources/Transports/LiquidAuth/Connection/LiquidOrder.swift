// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
public import SigningCore
internal import SigningNetwork

/// A connection to a page that is wanted: by which server, as whom, on which ways, for how long.
public struct LiquidOrder: Sendable {
    /// What the page shows.
    public let uri: LiquidURI
    /// Who logs in.
    public let user: LiquidLogin.User
    /// Servers that help to find a way; none are asked otherwise.
    public var servers: [ICEServer] = []
    /// The addresses of this machine that the page is told; all of them where there are none.
    public var addresses: [String] = []
    /// Whether a server on this machine may do without encryption.
    public var allowsInsecure = false
    /// Certificates that are trusted in place of the system's.
    public var authorities: LiquidAuthorities?
    /// How long the channel is kept.
    public var patience = ChannelPatience()

    /// A connection on the usual terms.
    public init(to uri: LiquidURI, as user: LiquidLogin.User) {
        self.uri = uri
        self.user = user
    }

    /// As whom the page's requests count: the server, where its certificate proves it.
    public var peer: Peer {
        let origin = uri.origin
        guard origin.scheme == "https" else { return Peer(channel: "liquid", claim: origin.text) }
        return Peer(
            channel: "liquid",
            provedServer: ProvedServer(origin: origin.text, party: origin.host.registrableDomain))
    }
}

/// How far a connection is.
public enum LiquidStage: Hashable, Sendable {
    /// The account is logged in.
    case loggedIn
    /// The server does not know the passkey that is held: a new one is a new question.
    case unknownPasskey
    /// The page has not answered yet.
    case waiting
    /// None of the relays that were named takes part: a wrong password, or no answer.
    case withoutRelay
    /// The first of several `stun:` servers that answers, which is taken; nil where none does.
    case stunServer(String?)
    /// The page has answered.
    case connecting
    /// Requests are answered.
    case open
    /// So much has come over it by now.
    case counted(ChannelCount)
}

/// Why there is no connection.
public struct LiquidConnectionError: Error, Hashable, Sendable {
    /// What kind of end it is.
    public enum Kind: String, Hashable, Sendable {
        /// The policy or a person said no.
        case denied
        /// It did not come about.
        case failed
        /// It was ended here.
        case cancelled
    }

    /// What kind of end it is.
    public let kind: Kind
    /// Why, in words; of others' words what is visible ASCII.
    public let text: String
    /// What helps; nil where nothing is known.
    public let hint: String?
    /// What the hub said of the login, where that is why.
    public let reason: Reason?

    init(_ kind: Kind, _ text: String, hint: String?, reason: Reason? = nil) {
        self.kind = kind
        self.text = text
        self.hint = hint
        self.reason = reason
    }

    static let cancelled = LiquidConnectionError(.cancelled, "it was ended here", hint: nil)

    /// A login that did not come about; what the hub said of it comes with it.
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
                case .insecure, .unreachable: "is the URI right?"
                case .unexpected: "where you agreed, your signature is there"
                default: Self.isShown
                }
            self.init(.failed, "not logged in: \(error.text)", hint: hint)
        }
    }

    private static let isShown =
        "is the URI still shown? an account that was rekeyed may be refused"

    init(_ error: SignallingError) {
        self =
            error == .missingLibrary
            ? Self(
                .failed,
                "there are no connections to servers: \(RuntimeLibrary.webSockets.name) is missing",
                hint: RuntimeLibrary.webSockets.hint)
            : Self(
                .failed, "the connection to the server cannot be made", hint: "is the URI right?")
    }

    init(_ error: ChannelError) {
        switch error {
        case .missingProgram(let words, let hint): self.init(.failed, words, hint: hint)
        case .closed(let words), .timedOut(let words):
            self.init(
                .failed, "there is no channel: \(words.visible)",
                hint: "load the page again, and give the URI that it shows then")
        case .tooLarge: self.init(.failed, "there is no channel", hint: nil)
        case .cancelled: self = .cancelled
        }
    }
}
