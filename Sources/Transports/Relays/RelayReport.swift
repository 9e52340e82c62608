// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs

/// How one relay stands.
package struct RelayReport: Hashable, Sendable {
    enum State: String, Hashable, Sendable {
        case open, opening, waiting
    }

    let relay: String
    var state = State.waiting
    /// Why it is not open.
    var problem: String?
    /// How often it was opened.
    var openedCount = 0
    var events: [LetterBox.Ending: Int] = [:]

    init(relay: String) { self.relay = relay }

    /// As `/v1/status` tells it.
    package var json: JSON {
        let counts = LetterBox.Ending.allCases.map {
            JSONObject.Member(name: $0.rawValue, value: .integer(Int64(events[$0] ?? 0)))
        }
        return [
            "relay": .string(relay), "state": .string(state.rawValue),
            "problem": problem.map { .string($0) } ?? .null,
            "opened": .integer(Int64(openedCount)), "events": .object(JSONObject(counts)),
        ]
    }

    /// Several of them in the text format of Prometheus.
    package static func metrics(_ reports: [RelayReport], unansweredCount: Int) -> String {
        var lines = [
            "# TYPE countersign_relay_connections_unanswered gauge",
            "countersign_relay_connections_unanswered \(unansweredCount)",
        ]
        guard !reports.isEmpty else { return lines.joined(separator: "\n") + "\n" }
        lines.append("# TYPE countersign_relay_open gauge")
        lines += reports.map {
            "countersign_relay_open{relay=\"\($0.relay)\"} \($0.state == .open ? 1 : 0)"
        }
        lines.append("# TYPE countersign_relay_events_total counter")
        for report in reports {
            lines += LetterBox.Ending.allCases.map { ending in
                "countersign_relay_events_total{relay=\"\(report.relay)\","
                    + "ending=\"\(ending.rawValue)\"} \(report.events[ending] ?? 0)"
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
