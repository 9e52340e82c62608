// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs
internal import SigningCore

/// The state of one relay.
package struct RelayReport: Hashable, Sendable {
    /// The state for people; `open` means that the relay has confirmed the subscriptions.
    enum State: String, Hashable, Sendable, CaseIterable {
        case open, connecting, subscribing
        case loggingIn = "logging_in"
        /// The relay refuses to serve, and has given a reason.
        case refused
        /// The relay closed the socket or cannot be reached, and is tried again.
        case waiting
    }

    let relay: String
    var state = State.waiting
    /// The reason that it is not open, as the relay gave it, if it gave one.
    var problem: String?
    /// The number of times that it was opened.
    var openedCount = 0
    var events: [EnvelopeReader.Outcome: Int] = [:]
    /// The number of answers that it refused, and its last message.
    var refusedCount = 0
    var lastRefusal: String?
    /// The number of answers that wait for it.
    var unsentCount = 0

    init(relay: String) { self.relay = relay }

    /// Returns a text of a relay for display: visible and short.
    static func words(_ text: String) -> String { VisibleText.quotable(text, countMax: 200) }

    /// The report in the format of `/v1/status`.
    package var json: JSON {
        let counts = EnvelopeReader.Outcome.allCases.map {
            JSONObject.Member(name: $0.rawValue, value: .integer(Int64(events[$0] ?? 0)))
        }
        return [
            "relay": .string(relay), "state": .string(state.rawValue),
            "problem": problem.map { .string($0) } ?? .null,
            "opened": .integer(Int64(openedCount)), "events": .object(JSONObject(counts)),
            "answers_refused": .integer(Int64(refusedCount)),
            "last_refusal": lastRefusal.map { .string($0) } ?? .null,
            "answers_waiting": .integer(Int64(unsentCount)),
        ]
    }

    /// Returns several reports in the text format of Prometheus.
    package static func metrics(_ reports: [RelayReport], unansweredCount: Int) -> String {
        var lines = [
            "# TYPE countersign_relay_connections_unanswered gauge",
            "countersign_relay_connections_unanswered \(unansweredCount)",
        ]
        guard !reports.isEmpty else { return lines.joined(separator: "\n") + "\n" }
        func put(_ name: String, _ type: String, _ value: (RelayReport) -> Int) {
            lines.append("# TYPE countersign_relay_\(name) \(type)")
            lines += reports.map { "countersign_relay_\(name){relay=\"\($0.relay)\"} \(value($0))" }
        }
        put("open", "gauge") { $0.state == .open ? 1 : 0 }
        lines.append("# TYPE countersign_relay_state gauge")
        for report in reports {
            lines += State.allCases.map { state in
                "countersign_relay_state{relay=\"\(report.relay)\",state=\"\(state.rawValue)\"} "
                    + "\(report.state == state ? 1 : 0)"
            }
        }
        put("answers_refused_total", "counter", \.refusedCount)
        put("answers_waiting", "gauge", \.unsentCount)
        lines.append("# TYPE countersign_relay_events_total counter")
        for report in reports {
            lines += EnvelopeReader.Outcome.allCases.map { outcome in
                "countersign_relay_events_total{relay=\"\(report.relay)\","
                    + "ending=\"\(outcome.rawValue)\"} \(report.events[outcome] ?? 0)"
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
