// SPDX-License-Identifier: Apache-2.0
package import SigningCore
package import SigningPolicy

/// The most that can leave, and the acts that can happen, without a question to a person.
///
/// Every figure is an upper bound for as long as policy and keys stay the same. Amounts that people
/// approve come on top. Conditions of schedules, of deny and ask rules, and of `unless` are left
/// out: they only lower what leaves.
package struct WorstCase: Sendable {
    /// A span of time for which the most is given.
    package struct Period: Sendable {
        package let name: String
        package let seconds: Int64
    }

    /// The periods; each begins at any moment and ends before its end.
    package static let periods = [
        Period(name: "hour", seconds: 3_600), Period(name: "day", seconds: 86_400),
        Period(name: "30 days", seconds: 2_592_000),
    ]

    /// A key that rules may name.
    package struct Key: Hashable, Sendable {
        /// The name; nil for each key that no rule names.
        package let name: String?
        let tags: [String]?
        let protocolID: ProtocolID

        /// Describes a key of the home.
        package init(_ account: Account) {
            name = account.name
            tags = account.tags
            protocolID = account.protocolID
        }

        init(name: String?, of protocolID: ProtocolID) {
            self.name = name
            tags = nil
            self.protocolID = protocolID
        }

        func isUsable(by rule: PolicyRule) -> Bool {
            rule.admits(.text(name ?? FieldSpace.otherText), of: EngineFact.key.rawValue)
                && tags.map { tags in
                    rule.conditions.filter { $0.field.name == EngineFact.keyTags.rawValue }
                        .allSatisfy {
                            $0.mayHold(for: .list(tags.map { .text($0) }), .every, own: [])
                        }
                } ?? true
        }
    }

    /// An active remembered yes, with the amounts that are left of its totals.
    package struct Remembered: Sendable {
        package let grant: Grant
        let keyName: String
        let left: [(total: Grant.Total, left: Int128)]

        package init(
            _ grant: Grant, keyName: String, left: [(total: Grant.Total, left: Int128)]
        ) {
            self.grant = grant
            self.keyName = keyName
            self.left = left
        }
    }

    /// The bounds of one asset.
    package struct Row: Sendable {
        /// The asset and its network.
        package let asset: String
        /// The key; nil for all keys together.
        package let key: String?
        /// The bounds of each period.
        package let most: [Most]
        /// The part of each bound that remembered answers may use; nil without any.
        package let remembered: Int128?
        /// The unit of the amounts; nil for smallest units.
        package let unit: AmountUnit?
    }

    /// The bounds of a budget in a common unit, which hold for all of its rules together.
    package struct BudgetRow: Sendable {
        package let budget: String
        /// True if amounts that people approve are within the bounds as well.
        package let isFinal: Bool
        package let unit: AmountUnit
        /// The field that the budget adds up.
        package let field: String
        package let most: [Most]
    }

    package let assets: [Row]
    package let budgets: [BudgetRow]
    package let acts: [Act]

    /// Finds the worst case of a policy.
    ///
    /// `keys` are the keys of the home, nil without a home. Rules that have expired at `now` are
    /// left out.
    package init(
        of policy: TOMLPolicy, keys: [Key]?, remembered: [Remembered], at now: Timestamp
    ) {
        let rules = policy.document.rules.filter {
            $0.effect == .allow && !$0.isExpired(at: now)
        }
        var finder = WorstCaseFinder(
            rules: rules, policy: policy, keys: keys,
            // They answer questions, and this default asks none.
            remembered: policy.document.fallback == .deny ? [] : remembered,
            windows: WindowCount(now: now))
        assets = finder.assets()
        budgets = finder.budgets()
        acts = finder.acts()
    }
}
