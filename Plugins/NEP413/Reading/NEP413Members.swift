// SPDX-License-Identifier: Apache-2.0

import NEAR
import SigningCodecs

/// The members of one JSON object on the wire; null counts as missing.
struct NEP413Members {
    private let object: JSONObject
    /// The networks that the hub knows.
    let networks: [String]

    /// Reads exactly one object.
    init(
        _ bytes: Span<UInt8>, bytesMax: Int, networks: [String] = NEARNetwork.names
    ) throws(NEARRefusal) {
        guard bytes.count <= bytesMax else {
            throw .tooLarge("the request", bytesMax: bytesMax)
        }
        let limits = JSONLimits(
            bytesMax: bytesMax, depthMax: NEP413Limits.frameDepthMax,
            valuesMax: NEP413Limits.frameValuesMax)
        let json: JSON
        do throws(CodecError) {
            json = try JSON.parse(bytes, limits: limits)
        } catch {
            if case .tooLong = error { throw .tooLarge("the request", error) }
            throw .invalid(Self.text(of: error))
        }
        guard case .object(let object) = json else {
            throw .invalid("not a JSON object; send one object per request")
        }
        self.init(object, networks: networks)
    }

    /// Creates the members of an object in the request.
    init(_ object: JSONObject, networks: [String] = NEARNetwork.names) {
        self.object = object
        self.networks = networks
    }

    /// The members of an empty object.
    static let empty = NEP413Members(JSONObject())

    /// True if there are no members.
    var isEmpty: Bool { object.members.isEmpty }

    /// Throws for members outside a list, because unknown members must not be ignored.
    ///
    /// Null members are allowed. Members in `hints` grant nothing and are ignored.
    func requireOnly(_ names: [String], hints: [String] = []) throws(NEARRefusal) {
        // Names are compared by bytes: Swift treats some different characters as equal.
        let isKnown = object.members.allSatisfy { member in
            member.value.isNull
                || (names + hints).contains { UTF8Text.isSame($0, member.name) }
        }
        guard isKnown else {
            throw .invalid("unknown member; known are \(names.joined(separator: ", "))")
        }
    }

    /// Returns a text; nil if it is missing.
    func text(_ name: String, bytesMax: Int) throws(NEARRefusal) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.text else { throw .invalid("\(name) must be a string") }
        guard text.utf8.count <= bytesMax else { throw .tooLarge(name, bytesMax: bytesMax) }
        return text
    }

    /// Returns a short text that is only shown; nil if it is anything else.
    func hint(_ name: String) -> String? {
        value(name)?.text.flatMap { $0.utf8.count <= Self.textBytesMax ? $0 : nil }
    }

    /// Returns a required text.
    func requiredText(_ name: String, bytesMax: Int) throws(NEARRefusal) -> String {
        guard let text = try text(name, bytesMax: bytesMax) else {
            throw .invalid("\(name) is missing")
        }
        return text
    }

    /// Returns a list of texts; empty if it is missing.
    func texts(_ name: String, countMax: Int) throws(NEARRefusal) -> [String] {
        guard let value = value(name) else { return [] }
        guard let list = value.list, list.count <= countMax,
            list.allSatisfy({ $0.text.map { $0.utf8.count <= Self.textBytesMax } ?? false })
        else { throw .invalid("\(name) must be a list of at most \(countMax) short strings") }
        return list.compactMap(\.text)
    }

    private static let textBytesMax = 256

    /// Returns a Boolean; false if it is missing.
    func flag(_ name: String) throws(NEARRefusal) -> Bool {
        guard let value = value(name) else { return false }
        guard let flag = value.flag else { throw .invalid("\(name) must be true or false") }
        return flag
    }

    /// Returns an object in this one; nil if it is missing.
    func object(_ name: String) throws(NEARRefusal) -> NEP413Members? {
        guard let value = value(name) else { return nil }
        guard case .object(let object) = value else { throw .invalid("\(name) must be an object") }
        return NEP413Members(object, networks: networks)
    }

    /// Returns the objects of a list, which must not be empty.
    func items<Item>(
        _ name: String, _ read: (NEP413Members) throws(NEARRefusal) -> Item
    ) throws(NEARRefusal) -> [Item] {
        guard let list = value(name)?.list, (1...TransactionLimits.requestMax).contains(list.count)
        else {
            throw .invalid("\(name) must be a list of 1 to \(TransactionLimits.requestMax) objects")
        }
        var items: [Item] = []
        for json in list {
            guard case .object(let object) = json else {
                throw .invalid("\(name) must be a list of objects")
            }
            items.append(try read(NEP413Members(object, networks: networks)))
        }
        return items
    }

    /// Returns a value of any type; nil if it is missing.
    func value(_ name: String) -> JSON? {
        guard let value = object[name], !value.isNull else { return nil }
        return value
    }

    /// Returns a value of any type, including `null`.
    func literal(_ name: String) -> JSON? { object[name] }

    /// The state, if it can be echoed in a refusal.
    var readableState: String? {
        guard let state = value("state")?.text,
            state.utf8.count <= NEP413Limits.stateBytesMax
        else { return nil }
        return state
    }

    /// Returns a description of the JSON error, without quoting the JSON.
    private static func text(of error: CodecError) -> String {
        if case .duplicateKey = error { return "a member is given twice; send each member once" }
        return "not readable as JSON: \(error.text)"
    }
}

extension NEP413Members {
    /// Returns the network, if the call names one.
    func network() throws(NEARRefusal) -> String? {
        let text = try text("network", bytesMax: NEP413Limits.networkBytesMax)
        guard let text else { return nil }
        // The names of added networks are not told to clients.
        guard networks.contains(text) else { throw .invalid("network must be mainnet or testnet") }
        return text
    }

    /// Returns the account id in a member; nil if it is missing.
    func optionalAccountID(_ name: String) throws(NEARRefusal) -> String? {
        guard let text = try text(name, bytesMax: TransactionLimits.textBytesMax) else {
            return nil
        }
        guard NEARAccountID.isValid(text) else {
            throw NEARRefusal(.invalidAccountID, "\(name) is not a NEAR account id")
        }
        return text
    }

    /// Returns the account id in a required member.
    func accountID(_ name: String) throws(NEARRefusal) -> String {
        guard let account = try optionalAccountID(name) else {
            throw .invalid("\(name) is missing")
        }
        return account
    }

    func optionalKey() throws(NEARRefusal) -> KeyText? {
        try text("publicKey", bytesMax: NEP413Limits.keyBytesMax).map {
            (text) throws(NEARRefusal) in
            try KeyText(reading: text)
        }
    }

    func key() throws(NEARRefusal) -> KeyText {
        guard let key = try optionalKey() else { throw .invalid("publicKey is missing") }
        return key
    }

    func optionalNumber(_ name: String) throws(NEARRefusal) -> UInt64? {
        try value(name).map { (json) throws(NEARRefusal) in try NEARNumber.u64(json, name) }
    }

    /// Returns the actions of a transaction or of a delegate action.
    func actions() throws(NEARRefusal) -> [NEARAction] {
        guard let list = value("actions")?.list else { throw .invalid("actions must be a list") }
        guard list.count <= TransactionLimits.actionsMax else {
            throw .invalid("more than \(TransactionLimits.actionsMax) actions")
        }
        return try list.map { (json) throws(NEARRefusal) in try NEARAction(connector: json) }
    }
}
