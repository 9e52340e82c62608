// SPDX-License-Identifier: Apache-2.0

/// One entry of `al`, the list of resources that an application call may use.
///
/// Positions count from 1 in the list; 0 is the sender or the called application.
package enum ResourceReference: Hashable, Sendable {
    /// An empty entry, which only raises the quota for boxes.
    case empty
    case account([UInt8])
    case asset(UInt64)
    case app(UInt64)
    case holding(account: UInt64, asset: UInt64)
    case locals(account: UInt64, app: UInt64)
    case box(app: UInt64, name: [UInt8])
}

extension ResourceReference {
    private static let names = ["b", "d", "h", "l", "p", "s"]

    /// Reads the list.
    package static func all(in fields: TransactionFields) throws(AlgorandRefusal) -> [Self] {
        var references: [Self] = []
        for entry in try fields.maps("al", names: names) { references.append(try Self(entry)) }
        return references
    }

    private init(_ fields: TransactionFields) throws(AlgorandRefusal) {
        guard fields.count <= 1 else {
            throw .invalid("an entry of al has more than one reference")
        }
        if let key = try fields.address("d") {
            self = .account(key)
        } else if let holding = try fields.fields("h", names: ["d", "s"]) {
            self = .holding(
                account: try holding.integer("d"), asset: try holding.integer("s"))
        } else if let locals = try fields.fields("l", names: ["d", "p"]) {
            self = .locals(account: try locals.integer("d"), app: try locals.integer("p"))
        } else if let box = try fields.fields("b", names: ["i", "n"]) {
            self = .box(
                app: try box.integer("i"),
                name: try box.bytes("n", countMax: ApplicationCall.boxNameCountMax))
        } else if fields.has("s") {
            self = .asset(try fields.integer("s"))
        } else if fields.has("p") {
            self = .app(try fields.integer("p"))
        } else {
            self = .empty
        }
    }

    /// Throws if a position does not exist or holds another kind of entry.
    package static func check(_ list: [Self]) throws(AlgorandRefusal) {
        for reference in list {
            let isRight: Bool
            switch reference {
            case .empty, .account, .asset, .app: isRight = true
            case .holding(let account, let asset):
                isRight =
                    list.holds(\.isAccount, at: account) && asset != 0
                    && list.holds(\.isAsset, at: asset)
            case .locals(let account, let app):
                isRight = list.holds(\.isAccount, at: account) && list.holds(\.isApp, at: app)
            case .box(let app, _): isRight = list.holds(\.isApp, at: app)
            }
            guard isRight else { throw .invalid("an entry of al has a wrong index") }
        }
    }

    private var isAccount: Bool { if case .account = self { true } else { false } }
    private var isAsset: Bool { if case .asset = self { true } else { false } }
    private var isApp: Bool { if case .app = self { true } else { false } }
}

extension [ResourceReference] {
    /// True if a position is 0 or the position of an entry of this kind.
    fileprivate func holds(_ isKind: (ResourceReference) -> Bool, at place: UInt64) -> Bool {
        guard place > 0 else { return true }
        return place <= UInt64(count) && isKind(self[Int(place - 1)])
    }
}
