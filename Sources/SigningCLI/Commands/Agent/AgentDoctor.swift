// SPDX-License-Identifier: Apache-2.0

import SigningAgent
import SigningCodecs
import SigningCore
import SigningService

extension Finding {
    /// Examines the agent of a home.
    static func agent(of home: String) async -> [Finding] {
        let what = "agent"
        do {
            switch try AgentFinding.presence(in: home) {
            case .none: return [Finding(what, "not running")]
            case .silent(let process):
                return [
                    Finding(
                        what, "process \(process) has this home open and does not answer",
                        fix: "try again in a moment, or: countersign agent stop")
                ]
            case .serving(let process, _):
                let status = try await AgentFinding.client(home) { client in
                    try await client.status().json
                }
                func text(_ text: String?) -> String { VisibleText.escaped(text ?? "") }
                if let problem = status["outdated"]?.text {
                    return [
                        Finding(
                            what, "process \(process) is locked: \(text(problem))",
                            fix: "countersign agent stop, then start it again")
                    ]
                }
                let agent = Finding(
                    what,
                    "process \(process), \(AgentFinding.version(of: status)), "
                        + "\(text(status["state"]?.text)), "
                        + text(status["sandbox"]?["text"]?.text)
                        + "; locks with the login: \(text(status["locks_with_login"]?.text))")
                return [agent] + (status["relays"]?.list ?? []).map { relay($0) }
            }
        } catch {
            return [Finding(what, error)]
        }
    }

    /// Examines one relay connection of the agent.
    static func relay(_ relay: JSON) -> Finding {
        let fix =
            switch relay["state"]?.text {
            case "refused":
                "ask the operator of the relay, or: countersign bunker relays NAME OTHER-URLS"
            case "waiting" where relay["relay"]?.text?.contains(".onion") == true:
                "check that Tor runs, and \"countersign bunker proxy\""
            case "waiting": "check the network and the address; the agent retries automatically"
            default: nil as String?
            }
        return Finding("relay", RelayLine.text(relay), fix: fix)
    }
}

/// The state of a relay, in one line.
enum RelayLine {
    /// The relay, its state, the reason, and its text for the last event that it refused.
    static func text(_ relay: JSON) -> String {
        func text(_ name: String) -> String? {
            relay[name]?.text.map { VisibleText.escaped($0) }
        }
        let state = (text("state") ?? "").replacing("_", with: " ")
        var line = "\(text("relay") ?? "") \(state)" + (text("problem").map { ": \($0)" } ?? "")
        if let count = relay["answers_waiting"]?.integerValue, count > 0 {
            line += "; \(count) \(count == 1 ? "answer waits" : "answers wait") for it"
        }
        if let refusal = text("last_refusal") {
            line += "; the relay last refused an answer with: \(refusal)"
        }
        return line
    }
}
