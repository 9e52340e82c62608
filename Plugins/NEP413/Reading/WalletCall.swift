// SPDX-License-Identifier: Apache-2.0

import NEAR
import SigningCodecs

/// A call of a connector to a wallet, with every member checked.
enum WalletCall: Sendable {
    case signMessage(NEP413Wire)
    case signIn(NEARClientContext, NEARAction?)
    case signInAndSignMessage(NEP413Wire, adding: NEARAction?)
    case signOut(network: String?)
    case getAccounts(network: String?)
    case signTransaction(NEARClientContext, TransactionForm)
    /// Sends transactions; `isList` decides the form of the answer.
    case sendTransactions(NEARClientContext, [TransactionDraft], isList: Bool)
    case signDelegates(NEARClientContext, [DelegateDraft])

    /// The methods in the order of the documentation.
    static let methods = [
        "signMessage", "signIn", "signInAndSignMessage", "signOut", "getAccounts",
        "signTransaction", "signAndSendTransaction", "signAndSendTransactions",
        "signDelegateActions",
    ]

    /// A transaction as JSON members, or complete in Borsh.
    enum TransactionForm: Sendable {
        case members(TransactionDraft)
        case whole(NEARTransaction)
    }

    private static let methodBytesMax = 64
    /// The methods with only optional parameters.
    private static let needsNothing = ["signIn", "signOut", "getAccounts"]
    /// The addresses to which a wallet page would return the browser.
    ///
    /// This wallet leaves no page. Of these members, only the callbackUrl of a message is signed.
    private static let callbackMembers = [
        "callbackUrl", "successUrl", "failureUrl", "meta", "walletMeta",
    ]

    /// The method name in rules.
    var method: String {
        switch self {
        case .signMessage, .signInAndSignMessage: NEARRequest.Method.signMessage
        case .signIn(_, nil): NEARRequest.Method.signIn
        case .signIn, .signTransaction, .sendTransactions: NEARRequest.Method.signTransaction
        case .signOut: NEARRequest.Method.signOut
        case .getAccounts: NEARRequest.Method.getAccounts
        case .signDelegates: NEARRequest.Method.signDelegate
        }
    }

    init(_ frame: NEP413Members) throws(NEARRefusal) {
        try frame.requireOnly(["method", "params"])
        let method = try frame.requiredText("method", bytesMax: Self.methodBytesMax)
        let given = try frame.object("params")
        guard let params = given ?? (Self.needsNothing.contains(method) ? .empty : nil) else {
            throw .invalid("params is missing")
        }
        switch method {
        case "signMessage": self = .signMessage(try NEP413Wire(params))
        case "signIn":
            try params.requireOnly(
                NEARClientContext.names + ConnectionPurpose.names + ["addFunctionCallKey"],
                hints: Self.callbackMembers)
            self = .signIn(
                try NEARClientContext(params).connecting(for: ConnectionPurpose(params)),
                try FunctionCallKey.adding(params))
        case "signInAndSignMessage": self = try Self.signInAndSignMessage(params)
        case "signOut":
            try params.requireOnly(["network"])
            self = .signOut(network: try params.network())
        case "getAccounts":
            try params.requireOnly(["network"])
            self = .getAccounts(network: try params.network())
        case "signTransaction": self = try Self.signTransaction(params)
        case "signAndSendTransaction":
            try params.requireOnly(
                NEARClientContext.names + TransactionDraft.names, hints: Self.callbackMembers)
            self = .sendTransactions(
                try NEARClientContext(params), [try TransactionDraft(params)], isList: false)
        case "signAndSendTransactions":
            self = try Self.sendTransactions(params)
        case "signDelegateActions":
            self = .signDelegates(
                try NEARClientContext(params, and: ["delegateActions"]),
                try params.items("delegateActions") { (item) throws(NEARRefusal) in
                    try DelegateDraft(item)
                })
        default:
            throw NEARRefusal(
                .unsupportedMethod,
                "unknown method; known are \(Self.methods.joined(separator: ", "))")
        }
    }

    private static func signInAndSignMessage(
        _ params: NEP413Members
    ) throws(NEARRefusal) -> Self {
        let clientContext = try NEARClientContext(
            params, and: ConnectionPurpose.names + ["messageParams", "addFunctionCallKey"]
        ).connecting(for: ConnectionPurpose(params))
        guard let message = try params.object("messageParams") else {
            throw .invalid("messageParams is missing")
        }
        return .signInAndSignMessage(
            try NEP413Wire(message, for: clientContext), adding: try FunctionCallKey.adding(params))
    }

    private static func sendTransactions(_ params: NEP413Members) throws(NEARRefusal) -> Self {
        let clientContext = try NEARClientContext(params, and: ["transactions"] + callbackMembers)
        var signers = Set([clientContext.accountID].compactMap(\.self))
        let drafts = try params.items("transactions") { (item) throws(NEARRefusal) in
            guard let template = item.value("template") else {
                try item.requireOnly(TransactionDraft.names)
                return try TransactionDraft(item)
            }
            try item.requireOnly(["template"])
            let bytes = try ByteForm.read(
                template, "template", countMax: TransactionLimits.bytesMax)
            let transaction = try NEARTransaction(bytes)
            guard transaction.version == .v0 else {
                throw NEARRefusal(
                    .unsupportedVersion, "transactions of version 1 cannot be signed here")
            }
            signers.insert(transaction.signer)
            // The wallet fills in key, nonce and block; the values in the call are placeholders.
            return TransactionDraft(
                receiver: transaction.receiver, actions: transaction.actions)
        }
        guard signers.count <= 1 else {
            throw .invalid("the transactions have several signers; send those of one account")
        }
        return .sendTransactions(
            NEARClientContext(
                accountID: signers.first, key: clientContext.key, network: clientContext.network,
                among: clientContext.networks),
            drafts, isList: true)
    }

    private static func signTransaction(_ params: NEP413Members) throws(NEARRefusal) -> Self {
        guard let borsh = params.value("transaction") else {
            try params.requireOnly(NEARClientContext.names + TransactionDraft.names)
            return .signTransaction(
                try NEARClientContext(params), .members(try TransactionDraft(params)))
        }
        let clientContext = try NEARClientContext(params, and: ["transaction"])
        let bytes = try ByteForm.read(
            borsh, "transaction", countMax: TransactionLimits.bytesMax)
        return .signTransaction(clientContext, .whole(try NEARTransaction(bytes)))
    }
}

extension ConnectionPurpose {
    static let names = ["contractId", "methodNames"]
    private static let methodsMax = 20

    /// Reads the purpose, without values of the wrong type; nil without a contract.
    init?(_ members: NEP413Members) {
        guard let contract = members.hint("contractId"), !contract.isEmpty else { return nil }
        let methods = members.value("methodNames")?.list?.compactMap(\.text) ?? []
        self.init(
            contract: contract,
            methods: methods.count <= Self.methodsMax ? methods : ["\(methods.count) methods"])
    }
}

extension NEARClientContext {
    static let names = ["network", "signerId", "accountId", "publicKey"]

    /// Reads the members that every call may have; it refuses others that are not in `names`.
    init(_ members: NEP413Members, and names: [String]) throws(NEARRefusal) {
        try members.requireOnly(Self.names + names)
        try self.init(members)
    }

    init(_ members: NEP413Members) throws(NEARRefusal) {
        let signer = try members.optionalAccountID("signerId")
        let account = try members.optionalAccountID("accountId")
        guard signer == nil || account == nil || signer == account else {
            throw .invalid("signerId and accountId name different accounts")
        }
        self.init(
            accountID: signer ?? account, key: try members.optionalKey(),
            network: try members.network(), among: members.networks)
    }
}

extension TransactionDraft {
    static let names = ["receiverId", "actions", "nonce", "blockHash"]

    init(_ members: NEP413Members) throws(NEARRefusal) {
        self.init(
            receiver: try members.accountID("receiverId"), actions: try members.actions(),
            nonce: try members.optionalNumber("nonce"),
            blockHash: try members.value("blockHash").map { (json) throws(NEARRefusal) in
                try NEARNumber.hash(json, "blockHash")
            })
    }
}

extension DelegateDraft {
    init(_ members: NEP413Members) throws(NEARRefusal) {
        try members.requireOnly(
            ["receiverId", "actions", "nonce", "maxBlockHeight", "blockHeightTtl"])
        let blocks = try members.optionalNumber("blockHeightTtl")
        guard blocks == nil || members.value("maxBlockHeight") == nil else {
            throw .invalid("give either maxBlockHeight or blockHeightTtl, not both")
        }
        guard blocks.map({ (1...Self.blocksMax).contains($0) }) ?? true else {
            throw .invalid("blockHeightTtl must be 1 to \(Self.blocksMax) blocks")
        }
        self.init(
            receiver: try members.accountID("receiverId"), actions: try members.actions(),
            nonce: try members.optionalNumber("nonce"),
            maxBlockHeight: try members.optionalNumber("maxBlockHeight"), blocks: blocks)
    }

    /// The maximum validity in blocks; it prevents an overflow of heights.
    private static let blocksMax: UInt64 = 1_000_000_000
}

/// The key that a client asks to add for itself when it signs in.
enum FunctionCallKey {
    /// The default allowance of connectors: 0.25 NEAR, in yoctoNEAR.
    static let allowanceDefault: UInt128 = 250_000_000_000_000_000_000_000

    /// Returns the action that adds the key; nil if the call asks for no key.
    static func adding(_ params: NEP413Members) throws(NEARRefusal) -> NEARAction? {
        guard let members = try params.object("addFunctionCallKey") else { return nil }
        try members.requireOnly(["contractId", "publicKey", "allowMethods", "gasAllowance"])
        return .addKey(
            try members.key(),
            AccessKey(
                nonce: 0,
                permission: .functionCall(
                    FunctionCallPermission(
                        allowance: try allowance(members),
                        receiver: try members.accountID("contractId"),
                        methods: try methods(members)))))
    }

    private static func methods(_ members: NEP413Members) throws(NEARRefusal) -> [String] {
        guard let allowed = try members.object("allowMethods") else {
            throw .invalid("allowMethods is missing")
        }
        try allowed.requireOnly(["anyMethod", "methodNames"])
        let names = try allowed.texts("methodNames", countMax: TransactionLimits.methodsMax)
        let isAny = try allowed.flag("anyMethod")
        // On the chain, an empty list allows every method.
        guard isAny == names.isEmpty else {
            throw .invalid("allowMethods must have anyMethod or names of methods, not both")
        }
        return names
    }

    private static func allowance(_ members: NEP413Members) throws(NEARRefusal) -> UInt128? {
        guard let allowance = try members.object("gasAllowance") else { return allowanceDefault }
        try allowance.requireOnly(["kind", "amount"])
        switch try allowance.requiredText("kind", bytesMax: 16) {
        case "unlimited":
            guard allowance.value("amount") == nil else {
                throw .invalid("an unlimited gasAllowance has no amount")
            }
            return nil
        case "limited": return try NEARNumber.u128(allowance.value("amount"), "amount")
        default: throw .invalid("the kind of gasAllowance must be limited or unlimited")
        }
    }
}
