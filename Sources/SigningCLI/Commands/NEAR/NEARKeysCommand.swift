// SPDX-License-Identifier: Apache-2.0

import NEAR
import NEARCourier
import SigningCodecs
import SigningCore

extension CommandLineTool {
    static let nearKeys = Command(
        name: "near keys",
        options: [Option(name: "--network", value: "NET", offers: .networks), NEARNodes.option],
        operands: 0...1,
        operandOffers: [.stored(.addresses(.near))],
        summary: "list the access keys of an account on the chain",
        usage: """
            usage: countersign near keys [--network NET] [--rpc URL] [ID]

            Lists the access keys that an account has on the chain, what each may do, and which of
            them are in this home. ID is the account, by default the only one of this home. With
            --quiet each line is a public key alone.

            example: countersign near keys --rpc "$URL" alice.near
            """
    ) { invocation in
        let home = try await CommandHome(invocation)
        let held = try await home.keys(of: .near)
        let id = try invocation.arguments.operands.first ?? onlyAccount(held)
        guard NEARAccountID.isValid(id) else {
            throw CLIError.usage(
                "this is not a NEAR account id", hint: "write an account id such as alice.near")
        }
        let network = NEARNodes.network(of: id, among: held, invocation.arguments)
        let node = try NEARNodes.node(network, invocation)
        let keys: [(publicKey: String, permission: AccessKeyPermission)]
        do throws(RPCError) {
            try await node.check(network)
            keys = try await node.accessKeys(of: id)
        } catch {
            throw CLIError(error)
        }
        let names = keys.map { key in
            held.first { $0.address == id && $0.keyText == key.publicKey }?.name
        }
        put(Array(zip(keys, names)), invocation.console)
        return .done
    }

    private static func onlyAccount(_ held: [HeldKey]) throws -> String {
        let ids = Set(held.map(\.address))
        guard ids.count == 1, let id = ids.first else {
            throw CLIError.usage(
                ids.isEmpty
                    ? "this home has no NEAR account" : "this home has several NEAR accounts",
                hint: "name the account; see \"countersign key list\"")
        }
        return id
    }

    private static func put(
        _ rows: [((publicKey: String, permission: AccessKeyPermission), String?)],
        _ console: Console
    ) {
        if console.isJSON {
            let list = rows.map { key, name -> JSON in
                [
                    "publicKey": .string(key.publicKey), "permission": key.permission.json,
                    "held": name.map { .string($0) } ?? .null,
                ]
            }
            return console.put(JSON.array(list).write())
        }
        for (key, name) in rows {
            let text = VisibleText.escaped(key.publicKey)
            let own = name.map { ", here as \($0)" } ?? ""
            console.put(
                console.isQuiet ? text : "\(text)  \(key.permission.details)\(own)")
        }
        if rows.isEmpty, !console.isQuiet { console.put("the account has no access keys") }
    }
}

extension HeldKey {
    /// The public key in the notation of NEAR.
    fileprivate var keyText: String? {
        (try? Hex.decode(publicKey)).map { KeyText.ed25519($0) }
    }
}

extension AccessKeyPermission {
    /// The permission with its bounds, in words.
    fileprivate var details: String {
        switch self {
        case .fullAccess: "full access"
        case .functionCall(let receiver, let methods, let allowance):
            Self.calls(receiver, methods, allowance)
        case .gasKeyFullAccess(let balance, _):
            "gas key with \(NEARAmount.formatNEAR(balance)) NEAR, full access"
        case .gasKeyFunctionCall(let receiver, let methods, let allowance, let balance, _):
            "gas key with \(NEARAmount.formatNEAR(balance)) NEAR, "
                + Self.calls(receiver, methods, allowance)
        }
    }

    private static func calls(
        _ receiver: String, _ methods: [String], _ allowance: UInt128?
    ) -> String {
        let what =
            methods.isEmpty
            ? "every method" : methods.map { VisibleText.escaped($0) }.joined(separator: ", ")
        let gas = allowance.map { "\(NEARAmount.formatNEAR($0)) NEAR for gas" } ?? "any gas"
        return "calls \(VisibleText.escaped(receiver)): \(what); \(gas)"
    }

    /// The permission for programs; the allowance is null if it has no bound.
    fileprivate var json: JSON {
        switch self {
        case .fullAccess: ["kind": "full_access"]
        case .functionCall(let receiver, let methods, let allowance):
            .object(JSONObject(Self.members("function_call", receiver, methods, allowance)))
        case .gasKeyFullAccess(let balance, _):
            ["kind": "gas_key_full_access", "balance": .string(String(balance))]
        case .gasKeyFunctionCall(let receiver, let methods, let allowance, let balance, _):
            .object(
                JSONObject(
                    Self.members("gas_key_function_call", receiver, methods, allowance)
                        + [.text("balance", String(balance))]))
        }
    }

    private static func members(
        _ kind: String, _ receiver: String, _ methods: [String], _ allowance: UInt128?
    ) -> [JSONObject.Member] {
        [
            .text("kind", kind), .text("receiver", receiver),
            .init(name: "methods", value: .array(methods.map { .string($0) })),
            .init(name: "allowance", value: allowance.map { .string(String($0)) } ?? .null),
        ]
    }
}
