// SPDX-License-Identifier: Apache-2.0

public import SigningCore

/// The state of a connection of the service.
public struct LiquidReport: Hashable, Sendable {
    /// The state.
    public enum State: String, Hashable, Sendable, CaseIterable {
        /// The account is logging in; a question may be waiting.
        case loggingIn = "logging_in"
        /// The page has not answered yet.
        case waiting
        /// The page has answered.
        case connecting
        /// Requests are being answered.
        case open
        /// The connection has ended.
        case ended
    }

    /// The end of a connection.
    public struct Outcome: Hashable, Sendable {
        /// `closed` if it was open before, otherwise the kind of failure.
        public let kind: String
        /// The reason in words.
        public let text: String
        /// A hint for a solution, if known.
        public let hint: String?
        /// The reason code of the hub, if the login was not signed.
        public let code: ReasonCode?
    }

    /// The id of the connection: 32 hexadecimal digits.
    public let id: String
    /// The origin of the server.
    public let server: String
    /// The id that the app gave the login.
    public let requestID: String
    /// The account that logs in.
    public let user: LiquidLogin.User
    /// The time of the order.
    public let started: Timestamp
    /// The current state.
    public internal(set) var state = State.loggingIn
    /// True if the server did not know the held passkey.
    public internal(set) var isPasskeyUnknown = false
    /// True if no configured relay works.
    public internal(set) var isWithoutRelay = false
    /// The `stun:` server chosen from several; nil if there was no choice.
    public internal(set) var stunServer: String?
    /// True if none of several `stun:` servers answers.
    public internal(set) var isWithoutSTUN = false
    /// The end of the connection; nil before.
    public internal(set) var ending: Outcome?
    /// The numbers of messages so far.
    public internal(set) var count = ChannelCount()
    /// A number that increases with each change.
    public internal(set) var revision: Int64 = 1

    /// Updates the report; a change of only the message counts does not increase `revision`.
    mutating func note(_ stage: LiquidStage) {
        switch stage {
        // Two concurrent reports may arrive in any order.
        case .counted(let new):
            count.answered = max(count.answered, new.answered)
            count.unanswered = max(count.unanswered, new.unanswered)
            return
        case .unknownPasskey: isPasskeyUnknown = true
        case .withoutRelay: isWithoutRelay = true
        case .stunServer(let uri):
            stunServer = uri
            isWithoutSTUN = uri == nil
        case .loggedIn, .waiting: state = .waiting
        case .connecting: state = .connecting
        case .open: state = .open
        }
        revision += 1
    }

    mutating func end(_ result: Result<ChannelClosure, LiquidConnectionError>) {
        switch result {
        case .success(let ending):
            self.ending = Outcome(kind: "closed", text: ending.reason, hint: nil, code: nil)
            count = ending.count
        case .failure(let failure):
            ending = Outcome(
                kind: failure.kind.rawValue, text: failure.text, hint: failure.hint,
                code: failure.reason?.code)
        }
        state = .ended
        revision += 1
    }
}
