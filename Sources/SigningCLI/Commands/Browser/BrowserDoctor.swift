// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningFiles
import SigningService

extension Finding {
    /// Examines the files for browsers in their usual places, and the pairing of their profiles; no
    /// rows if there are none.
    static func browsers(_ workspace: Workspace, _ invocation: Invocation) -> [Finding] {
        let places = Browser.allCases.compactMap { BrowserPlace($0, invocation.environment) }
        var findings: [Finding] = []
        var connects = false
        for place in places {
            let browser = place.browser
            do {
                switch try place.state(for: workspace.home.path) {
                case .missing: break
                case .forAnotherHome:
                    findings.append(Finding("extension", "\(browser): for another home"))
                case .complete:
                    connects = true
                    findings.append(Finding("extension", "\(browser): installed"))
                case .broken(let problem):
                    connects = true
                    findings.append(
                        Finding(
                            "extension", VisibleText.escaped("\(browser): \(problem)"),
                            fix: "countersign browser install --browser \(browser), then reload "
                                + "the extension"))
                }
            } catch {
                findings.append(Finding("extension", error))
            }
        }
        return findings + (connects ? [pairing(workspace)] : [])
    }

    private static func pairing(_ workspace: Workspace) -> Finding {
        do {
            let now = SystemEnvironment().now()
            let known = try workspace.perform(OwnerActs.tokenList, false).filter(\.isBrowser)
            let valid = known.filter { !$0.isExpired(at: now) }.map(\.name)
            guard valid.isEmpty else {
                return Finding(
                    "pairing", VisibleText.escaped("profiles: \(valid.joined(separator: ", "))"))
            }
            let expired = known.map(\.name).joined(separator: ", ")
            return Finding(
                "pairing",
                VisibleText.escaped(
                    "no browser profile is paired with this home"
                        + (expired.isEmpty ? "" : "; expired: \(expired)")),
                fix: "countersign agent token new --browser --name NAME, and paste the token")
        } catch {
            return Finding("pairing", error)
        }
    }
}
