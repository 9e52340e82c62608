// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// An error in a file that describes an application.
package enum ABIFileError: Error, Hashable, Sendable {
    /// The reason that the file cannot be used.
    case invalid(String)
}

/// The methods of an application, as a file says that the owner added: ARC-4, ARC-32 or ARC-56.
///
/// The application need not do what its methods are called. So the file adds words to a question,
/// and changes nothing else of it.
package struct ABIContract: Hashable, Sendable {
    /// The name in the file.
    package let name: String
    let methods: [ABIMethod]
    /// The ids of the application, by the genesis hash of the network.
    package private(set) var apps: [[UInt8]: UInt64]

    /// The maximum length of a file, in bytes.
    package static let fileBytesMax = 2 << 20
    /// The maximum length of the text that the vault stores, in bytes.
    package static let textBytesMax = 32 << 10
    /// The maximum number of methods.
    private static let methodsMax = 256
    /// The maximum number of networks.
    private static let networksMax = 16
    private static let limits = JSONLimits(
        bytesMax: fileBytesMax, depthMax: 32, valuesMax: 200_000)

    /// The number of methods.
    package var methodCount: Int { methods.count }

    /// Reads a file of one of the three standards, or the text of `text`.
    package init(_ file: [UInt8]) throws(ABIFileError) {
        guard let json = try? JSON.parse(file.span, limits: Self.limits), json.object != nil else {
            throw .invalid("the file is not a JSON object, or longer than 2 MiB")
        }
        // ARC-32 has the description of ARC-4 as a member.
        let contract = json["contract"] ?? json
        guard let name = contract["name"]?.text, !name.isEmpty,
            name.utf8.count <= ABIMethod.nameBytesMax
        else { throw .invalid("the file has no name, or one that is too long") }
        guard let list = contract["methods"]?.list, !list.isEmpty else {
            throw .invalid("the file has no methods: it must be of ARC-4, ARC-32 or ARC-56")
        }
        guard list.count <= Self.methodsMax else {
            throw .invalid("the file has more than \(Self.methodsMax) methods")
        }
        var methods: [ABIMethod] = []
        for json in list {
            let method = try ABIMethod(json)
            if let other = methods.first(where: { $0.selector == method.selector }) {
                throw .invalid("the methods \(other.name) and \(method.name) have one selector")
            }
            methods.append(method)
        }
        self.name = name
        self.methods = methods
        apps = try Self.apps(contract["networks"])
    }

    private static func apps(_ networks: JSON?) throws(ABIFileError) -> [[UInt8]: UInt64] {
        guard let networks, !networks.isNull else { return [:] }
        guard let members = networks.object?.members, members.count <= networksMax else {
            throw .invalid("networks is not an object, or has more than \(networksMax) members")
        }
        var apps: [[UInt8]: UInt64] = [:]
        for member in members {
            guard let hash = try? Base64.decode(member.name), hash.count == 32 else {
                throw .invalid("networks has a name that is no genesis hash in Base64")
            }
            guard case .integer(let number)? = member.value["appID"],
                let app = UInt64(exactly: number), app > 0
            else { throw .invalid("networks has no appID of a network, or one that is 0") }
            apps[hash] = app
        }
        return apps
    }

    /// Names the application on a network, besides the file or against it.
    package mutating func setApp(_ app: UInt64, on network: AlgorandNetwork) {
        apps[network.genesisHash] = app
    }

    /// The contract without what no question shows, as a file of ARC-4.
    package var text: String {
        let networks = apps.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { hash, app in
            JSONObject.Member(
                name: Base64.encode(hash.span),
                value: ["appID": .integer(Int64(clamping: app))])
        }
        let json: JSON = [
            "name": .string(name), "networks": .object(JSONObject(networks)),
            "methods": .array(methods.map(\.json)),
        ]
        return String(decoding: json.write(), as: UTF8.self)
    }
}
