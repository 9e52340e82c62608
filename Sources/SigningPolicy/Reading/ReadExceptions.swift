// SPDX-License-Identifier: Apache-2.0
import SigningCore

extension PolicyReader {
    /// The most exceptions of one rule.
    static let exceptionCountMax = 100
    private static let scheduleKeys = ["hours", "days", "tz"]

    /// Reads `unless`: one table, or a list of tables of which one is enough.
    ///
    /// `zone` is that of the rule, written at `tz`, for hours and days without an own one.
    mutating func readExceptions(
        _ node: TOMLNode, _ scope: PolicyVocabulary.Scope, _ zone: Zone?, _ tz: TOMLNode?
    ) -> [PolicyException] {
        let items = node.items
        guard 1...Self.exceptionCountMax ~= items.count else {
            report.error(
                .wrongShape, "unless takes 1 to \(Self.exceptionCountMax) tables",
                at: node.position)
            return []
        }
        return items.compactMap { readException($0, scope, zone, tz) }
    }

    private mutating func readException(
        _ node: TOMLNode, _ scope: PolicyVocabulary.Scope, _ zone: Zone?, _ tz: TOMLNode?
    ) -> PolicyException? {
        guard case .table(let members) = node.value, !members.isEmpty else {
            report.error(
                .wrongShape,
                "unless takes a table of conditions, such as { key = \"alice\" }, or a list of "
                    + "such tables", at: node.position)
            return nil
        }
        let parts = Dictionary(members.map { ($0.key, $0) }) { first, _ in first }
        let ownZone = parts["tz"].flatMap { readZone($0) }
        if let tz = parts["tz"], parts["hours"] == nil, parts["days"] == nil {
            report.error(.notHere, "tz needs hours or days", at: tz.keyPosition)
        }
        return PolicyException(
            conditions: readConditions(
                members.filter { !Self.scheduleKeys.contains($0.key) }, scope: scope),
            schedule: readSchedule(
                hours: parts["hours"], days: parts["days"],
                zone: parts["tz"] == nil ? zone : ownZone, tz: parts["tz"] ?? tz))
    }
}
