// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import Synchronization

/// Counts events for `/v1/metrics`.
package final class Tally: Sendable {
    /// The result of a request.
    enum Outcome: String, CaseIterable {
        case done, denied, failed
    }

    /// The current values.
    struct Now {
        /// The requests that the signer has not answered.
        var inFlight = 0
        /// The clients that wait for an answer.
        var waiting = 0
        /// The connected clients.
        var connections = 0
    }

    private struct Counted: Hashable {
        let wire: String
        let ending: Outcome
    }

    private struct State {
        var now = Now()
        var requests: [Counted: Int] = [:]
        var refused: [String: Int] = [:]
    }

    /// The wires that are counted by name; a client could invent any number of other names.
    private let wires: Set<String>
    private let state = Mutex(State())

    /// Creates counters for these wires; requests of other wires are counted together.
    package init(wires: [String]) { self.wires = Set(wires) }

    /// Changes the current values.
    func note(_ change: (inout Now) -> Void) { state.withLock { change(&$0.now) } }

    /// Counts a finished request; `wire` is the one that the client named.
    func count(_ wire: AdapterID?, _ ending: Outcome) {
        let name = wire.map { wires.contains($0.name) ? $0.name : "unknown" } ?? "unnamed"
        state.withLock { $0.requests[Counted(wire: name, ending: ending), default: 0] += 1 }
    }

    /// Counts a refused request; the codes are a closed list.
    func refuse(_ code: String) { state.withLock { $0.refused[code, default: 0] += 1 } }

    /// All counts in the text format of Prometheus.
    var text: String {
        let state = state.withLock { $0 }
        let requests = state.requests.map { counted, count in
            "countersign_requests_total{wire=\"\(counted.wire)\","
                + "ending=\"\(counted.ending.rawValue)\"} \(count)"
        }
        let refused = state.refused.map {
            "countersign_refused_total{code=\"\($0.key)\"} \($0.value)"
        }
        let now = state.now
        let lines =
            ["# TYPE countersign_requests_total counter"] + requests.sorted()
            + ["# TYPE countersign_refused_total counter"] + refused.sorted()
            + [
                "# TYPE countersign_requests_in_flight gauge",
                "countersign_requests_in_flight \(now.inFlight)",
                "# TYPE countersign_clients_waiting gauge",
                "countersign_clients_waiting \(now.waiting)",
                "# TYPE countersign_connections gauge",
                "countersign_connections \(now.connections)",
            ]
        return lines.joined(separator: "\n") + "\n"
    }
}
