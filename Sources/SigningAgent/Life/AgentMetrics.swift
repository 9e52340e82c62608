// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
package import SigningService
internal import SigningStorage
internal import SigningVault

/// The metrics of a home in the text format of Prometheus, beside those of its transports.
package struct AgentMetrics: Sendable {
    private let home: OpenHome
    private let signer: LocalSigner
    private let queue: QuestionQueue

    /// Creates the metrics of a home and its signer; `queue` holds the questions that wait.
    package init(of home: OpenHome, by signer: LocalSigner, asking queue: QuestionQueue) {
        self.home = home
        self.signer = signer
        self.queue = queue
    }

    /// The most limits that are listed.
    static let limitsMax = 1_000

    /// The current values; a value that cannot be read is left out.
    package func text() async -> String {
        // Reads the home's files, which blocks.
        await withTaskExecutorPreference(BlockingThreads.shared) { read() }
    }

    private func read() -> String {
        var text = MetricsText()
        text.gauge("unlocked", home.vault.isUnlocked ? 1 : 0)
        text.gauge("ready", Agent.obstacle(in: home, signer) == nil ? 1 : 0)
        do { text.gauge("frozen", try signer.ledger.freezeReason() == nil ? 0 : 1) } catch {}
        text.gauge("questions_waiting", queue.overview.waiting.count)
        text.gauge("approvals_waiting", queue.approvalCount)
        for (name, counts) in [
            ("denied_total", signer.endings.denied), ("failed_total", signer.endings.failed),
        ] {
            text.add(
                name, "counter", counts.map { ([("reason", $0.key.rawValue)], "\($0.value)") })
        }
        if let rows = try? OwnerActs.limitList.perform((), in: home, signer.ledger) {
            let rows = Self.fullest(rows).prefix(Self.limitsMax)
            text.add("limit_used", "gauge", rows.map { (Self.labels($0), "\($0.trace.used)") })
            text.add(
                "limit_maximum", "gauge", rows.map { (Self.labels($0), "\($0.trace.maximum)") })
        }
        if let time = (try? signer.ledger.lastBackup()) ?? nil {
            text.gauge("last_backup_timestamp_seconds", Int(time.seconds))
        }
        return text.text
    }

    /// The counter with the least left of each limit, in the order of the policy.
    ///
    /// The values by which a limit counts separately are left out: clients choose some of them.
    private static func fullest(_ rows: [LimitRow]) -> [LimitRow] {
        var order: [String] = []
        var least: [String: LimitRow] = [:]
        for row in rows {
            let name = labels(row).map(\.value).joined(separator: "\n")
            if least[name] == nil { order.append(name) }
            if let known = least[name], known.trace.left <= row.trace.left { continue }
            least[name] = row
        }
        return order.compactMap { least[$0] }
    }

    /// The labels of a limit, of the owner's words alone; together they identify it.
    private static func labels(_ row: LimitRow) -> MetricsText.Labels {
        let counter = String(row.trace.counter.prefix { $0 != "[" })
        let labels = [("rule", row.rule), ("counter", counter), ("window", row.trace.span)]
        return labels
            + (row.separators.isEmpty ? [] : [("by", row.separators.joined(separator: ","))])
    }
}

/// Metrics in the text format of Prometheus, version 0.0.4.
private struct MetricsText {
    typealias Labels = [(name: String, value: String)]

    private(set) var text = ""

    /// Adds a value without labels that may rise and fall.
    mutating func gauge(_ name: String, _ value: Int) { add(name, "gauge", [([], "\(value)")]) }

    /// Adds the values of one metric, in the order of their labels.
    mutating func add(_ name: String, _ type: String, _ values: [(labels: Labels, String)]) {
        text += "# TYPE countersign_\(name) \(type)\n"
        let lines = values.map { labels, value in
            let list = labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }
                .joined(separator: ",")
            return "countersign_\(name)\(list.isEmpty ? "" : "{\(list)}") \(value)\n"
        }
        text += lines.sorted().joined()
    }

    /// A label's value: backslashes, quotation marks and ends of lines are escaped.
    private static func escaped(_ value: String) -> String {
        value.replacing("\\", with: #"\\"#).replacing("\"", with: #"\""#)
            .replacing("\n", with: #"\n"#)
    }
}
