// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningDigests

/// The type of an argument of a method (ARC-4).
enum ABIArgumentType: Hashable, Sendable {
    case value(ABIType)
    /// A resource that the call may use, given by its position in one of the call's lists.
    case account, asset, application
    /// A transaction before the call in its group, of one type or of any (`txn`).
    case transaction(String)

    private static let transactions: Set = [
        "txn", "pay", "keyreg", "acfg", "axfer", "afrz", "appl",
    ]

    init?(_ text: String) {
        switch text {
        case "account": self = .account
        case "asset": self = .asset
        case "application": self = .application
        case let kind where Self.transactions.contains(kind): self = .transaction(kind)
        default:
            guard let type = ABIType(text) else { return nil }
            self = .value(type)
        }
    }

    /// The type as ARC-4 writes it.
    var text: String {
        switch self {
        case .value(let type): type.text
        case .account: "account"
        case .asset: "asset"
        case .application: "application"
        case .transaction(let kind): kind
        }
    }

    /// The type of the bytes in the call; nil if the argument is a transaction.
    var encoded: ABIType? {
        switch self {
        case .value(let type): type
        case .account, .asset, .application: .uint(bits: 8)
        case .transaction: nil
        }
    }
}

/// A method of an application (ARC-4).
struct ABIMethod: Hashable, Sendable {
    struct Argument: Hashable, Sendable {
        let type: ABIArgumentType
        /// The name in the file; nil if it has none.
        let name: String?
    }

    let name: String
    let arguments: [Argument]
    /// The type of the result as text; `void` for none.
    let result: String
    /// The name and the types, which the selector is the hash of.
    let signature: String
    /// The first argument of a call of this method.
    let selector: [UInt8]

    /// The maximum number of arguments.
    static let argumentsMax = 64
    /// The maximum length of a name, in bytes.
    static let nameBytesMax = 128

    /// Reads a method of a file.
    init(_ json: JSON) throws(ABIFileError) {
        guard let name = json["name"]?.text, Self.isName(name) else {
            throw .invalid("a method has no name, or one with other characters than ARC-4 allows")
        }
        guard let list = json["args"]?.list, list.count <= Self.argumentsMax else {
            throw .invalid("method \(name): args is missing, or has over \(Self.argumentsMax)")
        }
        var arguments: [Argument] = []
        for argument in list {
            guard let text = argument["type"]?.text else {
                throw .invalid("method \(name): an argument has no type")
            }
            guard let type = ABIArgumentType(text) else {
                throw .invalid("method \(name): \(ABICall.quoted(text)) is no type of ARC-4")
            }
            let label = argument["name"]?.text
            guard (label ?? "").utf8.count <= Self.nameBytesMax else {
                throw .invalid("method \(name): the name of an argument is too long")
            }
            arguments.append(Argument(type: type, name: label))
        }
        guard let result = json["returns"]?["type"]?.text,
            result == "void" || ABIType(result) != nil
        else { throw .invalid("method \(name): returns has an unknown type") }
        self.name = name
        self.arguments = arguments
        self.result = result
        signature = "\(name)(\(arguments.map(\.type.text).joined(separator: ",")))\(result)"
        selector = Array(Digest.sha512_256(signature.utf8.span).prefix(4))
    }

    private static func isName(_ text: String) -> Bool {
        (1...nameBytesMax).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    /// The form in which a file has the method.
    var json: JSON {
        let list = arguments.map { argument in
            var members = [JSONObject.Member(name: "type", value: .string(argument.type.text))]
            if let name = argument.name {
                members.append(.init(name: "name", value: .string(name)))
            }
            return JSON.object(JSONObject(members))
        }
        return [
            "name": .string(name), "args": .array(list), "returns": ["type": .string(result)],
        ]
    }
}
