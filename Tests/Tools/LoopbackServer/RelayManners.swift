// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The message order of a test relay; each habit is that of a relay in use.
package final class RelayManners: Sendable {
    package enum Habit: Hashable, Sendable {
        case plain
        /// The relay never confirms a subscription, or confirms it without its name.
        case noEOSE, namelessEOSE
        /// The relay sends a challenge at once and nothing else before the login.
        case challengeFirst
        /// The relay refuses a subscription, and sends the challenge 50 ms later.
        case closedFirst
        /// The relay sends a challenge for the subscription, and continues after the login.
        case held
        /// The relay sends a challenge and an empty result; it hides events before the login.
        case hidden
        /// The relay accepts subscriptions, and refuses events until the client logs in.
        case asksPublisher
        /// The relay sends another challenge with each message before the login, and accepts the
        /// newest only.
        case newestChallenge
        /// The relay accepts a login and still refuses, each time with a fresh challenge.
        case restricted
        /// The relay refuses each login.
        case refusesLogin
        /// The relay asks for a login and never sends a challenge.
        case noChallenge
        /// The relay accepts logins without a reply.
        case silentLogin
        /// The relay refuses a number of events with these words.
        case refuses(Int, String)
    }

    /// A message of the relay, after a pause in seconds.
    package struct Answer {
        let text: String
        var pause = 0.0
    }

    private struct State {
        var loggedIn: Set<Int32> = []
        var loginsCount = 0
        var refusedCount = 0
        var challengesCount = 0
        var held: [Int32: [String]] = [:]
    }

    private let habit: Habit
    private let state = Mutex(State())

    init(_ habit: Habit) { self.habit = habit }

    var loginsCount: Int { state.withLock { $0.loginsCount } }
    var refusedCount: Int { state.withLock { $0.refusedCount } }

    func forget(_ connection: Int32) { state.withLock { _ = $0.loggedIn.remove(connection) } }

    func shows(eventsTo connection: Int32) -> Bool {
        habit != .hidden || state.withLock { $0.loggedIn.contains(connection) }
    }

    private static let wanted = "auth-required: who is there"

    private func challenge(_ state: inout State, after pause: Double = 0) -> Answer {
        state.challengesCount += 1
        return Answer(text: "[\"AUTH\",\"challenge\(state.challengesCount)\"]", pause: pause)
    }

    func greeting() -> [Answer] {
        state.withLock { state in
            switch habit {
            case .challengeFirst, .hidden, .restricted, .refusesLogin, .newestChallenge,
                .silentLogin:
                [challenge(&state)]
            default: []
            }
        }
    }

    func answers(toSubscription name: String, of connection: Int32) -> [Answer] {
        let end = Answer(text: "[\"EOSE\",\"\(name)\"]")
        let closed = Answer(text: "[\"CLOSED\",\"\(name)\",\"\(Self.wanted)\"]")
        return state.withLock { state in
            let isIn = state.loggedIn.contains(connection)
            switch habit {
            case .plain, .hidden, .asksPublisher, .refuses: return [end]
            case .noEOSE: return []
            case .namelessEOSE: return [Answer(text: "[\"EOSE\"]")]
            case .challengeFirst, .silentLogin: return isIn ? [end] : [closed]
            case .closedFirst: return isIn ? [end] : [closed, challenge(&state, after: 0.05)]
            case .newestChallenge: return isIn ? [end] : [challenge(&state), closed]
            case .noChallenge, .refusesLogin: return [closed]
            case .held:
                if isIn { return [end] }
                state.held[connection, default: []].append(name)
                return [challenge(&state)]
            case .restricted:
                let text = "[\"CLOSED\",\"\(name)\",\"restricted: members only\"]"
                return [Answer(text: text), challenge(&state)]
            }
        }
    }

    func answers(toLogin id: String, _ challenge: String, of connection: Int32) -> [Answer] {
        state.withLock { state in
            state.loginsCount += 1
            let isNewest = challenge == "challenge\(state.challengesCount)"
            guard habit != .refusesLogin, isNewest || habit != .newestChallenge else {
                return [Answer(text: "[\"OK\",\"\(id)\",false,\"blocked: not on the list\"]")]
            }
            state.loggedIn.insert(connection)
            if habit == .silentLogin { return [] }
            let held = state.held.removeValue(forKey: connection) ?? []
            return [Answer(text: "[\"OK\",\"\(id)\",true,\"\"]")]
                + held.map { Answer(text: "[\"EOSE\",\"\($0)\"]") }
        }
    }

    func answers(toEvent id: String, of connection: Int32) -> [Answer] {
        state.withLock { state in
            let words: String?
            switch habit {
            case .asksPublisher: words = state.loggedIn.contains(connection) ? nil : Self.wanted
            case .refuses(let count, let text): words = state.refusedCount < count ? text : nil
            default: words = nil
            }
            guard let words else { return [Answer(text: "[\"OK\",\"\(id)\",true,\"\"]")] }
            state.refusedCount += 1
            let refusal = Answer(text: "[\"OK\",\"\(id)\",false,\"\(words)\"]")
            return habit == .asksPublisher ? [refusal, challenge(&state, after: 0.05)] : [refusal]
        }
    }
}
