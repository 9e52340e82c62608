// SPDX-License-Identifier: Apache-2.0

public import SigningCore

/// How a connection at a desk stands.
public struct LiquidReport: Hashable, Sendable {
    /// How far it is.
    public enum State: String, Hashable, Sendable, CaseIterable {
        /// The account logs in; a question may wait.
        case loggingIn = "logging_in"
        /// The page has not answered yet.
        case waiting
        /// The page has answered.
        case connecting
        /// Requests are answered.
        case open
        /// It is over.
        case ended
    }

    /// How it ended.
    public struct Outcome: Hashable, Sendable {
        /// `closed` after it was open, else the kind of its failure.
        public let kind: String
        /// Why, in words.
        public let text: String
        /// What helps; nil where nothing is known.
        public let hint: String?
        /// The hub's word for it, where the login was not signed.
        public let code: ReasonCode?
    }

    /// By which it is named: 32 hexadecimal digits.
    public let id: String
    /// The origin of the server.
    public let server: String
    /// The app's name for the login.
    public let requestID: String
    /// Who logs in.
    public let user: LiquidLogin.User
    /// When it was ordered.
    public let started: Timestamp
    /// How far it is.
    public internal(set) var state = State.loggingIn
    /// Whether the server did not know the passkey that is held.
    public internal(set) var isPasskeyUnknown = false
    /// Whether none of the relays that were named takes part.
    public internal(set) var isWithoutRelay = false
    /// The `stun:` server that was taken of several; nil where there was no choice.
    public internal(set) var stunServer: String?
    /// Whether none of several `stun:` servers answers.
    public internal(set) var isWithoutSTUN = false
    /// How it ended; nil before.
    public internal(set) var ending: Outcome?
    /// What came over it by now.
    public internal(set) var count = ChannelCount()
    /// Grows with each change.
    public internal(set) var revision: Int64 = 1

    /// Takes in how far it is; what is only counted is no change that anybody waits for.
    mutating func note(_ stage: LiquidStage) {
        switch stage {
        // Two that are told at one time may come in either order.
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
