// SPDX-License-Identifier: Apache-2.0

import SigningAgent
import SigningCodecs
import SigningCore
import SigningService

extension Finding {
    /// How the agent of a home stands.
    static func agent(of home: String) async -> Finding {
        let what = "agent"
        do throws(CLIError) {
            switch try AgentFinding.presence(in: home) {
            case .none: return Finding(what, "none runs")
            case .silent(let process):
                return Finding(
                    what, "process \(process) holds this home and does not answer",
                    mend: "try again in a moment, or: countersign agent stop")
            case .serving(let process, _):
                let status = try await AgentFinding.client(home) { client throws(ServiceError) in
                    try await client.status().json
                }
                func text(_ text: String?) -> String { VisibleText.escaped(text ?? "") }
                if let problem = status["outdated"]?.text {
                    return Finding(
                        what, "process \(process) is locked: \(text(problem))",
                        mend: "countersign agent stop, then start it again")
                }
                return Finding(
                    what,
                    "process \(process), \(AgentFinding.version(of: status)), "
                        + "\(text(status["state"]?.text)), "
                        + text(status["sandbox"]?["text"]?.text)
                        + "; locks with the login: \(text(status["locks_with_login"]?.text))")
            }
        } catch {
            return Finding(what, error)
        }
    }
}
