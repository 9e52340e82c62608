// SPDX-License-Identifier: Apache-2.0

public import SigningCodecs

/// A call on the wire: `{"keys": [...], "scopes": [...], "seconds": N}`.
struct ConnectWire {
    static let frameBytesMax = 16 << 10
    static let keysMax = 8
    static let scopesMax = 32
    /// The maximum number of wishes that a person sees: scopes times keys.
    static let wishesMax = 64
    /// The allowed time: from a minute to a year.
    static let seconds: ClosedRange<Int64> = 60...31_536_000
    private static let members = ["keys", "scopes", "seconds"]
    private static let nameBytesMax = 256
    private static let depthMax = 4

    /// The names of keys, without repetition.
    let keys: [String]
    /// The scopes, without repetition.
    let scopes: [ConnectScope]
    /// The requested time in seconds.
    let seconds: Int64

    init(_ frame: Span<UInt8>) throws(ConnectRefusal) {
        let json: JSON
        do throws(CodecError) {
            json = try JSON.parse(
                frame, limits: JSONLimits(bytesMax: Self.frameBytesMax, depthMax: Self.depthMax))
        } catch {
            throw .invalid("not readable as JSON: \(error.text)")
        }
        guard let object = json.object, object.names.allSatisfy(Self.members.contains) else {
            throw .invalid("a call must have the members keys, scopes and seconds, and no others")
        }
        keys = try Self.list("keys", in: json, countMax: Self.keysMax) { entry in
            entry.text.flatMap { $0.utf8.count <= Self.nameBytesMax ? $0 : nil }
        }
        scopes = try Self.list("scopes", in: json, countMax: Self.scopesMax) { ConnectScope($0) }
        guard keys.count * scopes.count <= Self.wishesMax else {
            throw .invalid("keys and scopes make more than \(Self.wishesMax) together")
        }
        guard let seconds = json["seconds"]?.integerValue, Self.seconds.contains(seconds) else {
            throw .invalid(
                "seconds must be a number from \(Self.seconds.lowerBound) to "
                    + "\(Self.seconds.upperBound)"
            )
        }
        self.seconds = seconds
    }

    private static func list<Entry: Equatable>(
        _ name: String, in json: JSON, countMax: Int, _ read: (JSON) -> Entry?
    ) throws(ConnectRefusal) -> [Entry] {
        guard let list = json[name]?.list, (1...countMax).contains(list.count) else {
            throw .invalid("\(name) must be a list of 1 to \(countMax) entries")
        }
        var entries: [Entry] = []
        for item in list {
            guard let entry = read(item) else {
                throw .invalid("\(name) has an entry of an unknown form")
            }
            guard !entries.contains(entry) else { throw .invalid("\(name) has an entry twice") }
            entries.append(entry)
        }
        return entries
    }
}

/// A permission that a client asks for with each key: a method, and values that limit it.
public struct ConnectScope: Hashable, Sendable {
    /// The method, by its name in rules.
    public let method: String
    /// The limits, by their names in rules.
    public let bounds: [JSONObject.Member]

    private static let methodMember = "method"

    /// Reads a scope; nil if it is not an object with a method.
    init?(_ json: JSON) {
        guard let object = json.object, let method = json[Self.methodMember]?.text else {
            return nil
        }
        self.method = method
        bounds = object.members.filter { $0.name != Self.methodMember }
            .sorted { $0.name < $1.name }
    }

    /// Returns the scope in the form of answers, for one key.
    func json(of key: String) -> JSON {
        let members: [JSONObject.Member] = [
            .init(name: "key", value: .string(key)),
            .init(name: Self.methodMember, value: .string(method)),
        ]
        return .object(JSONObject(members + bounds))
    }
}
