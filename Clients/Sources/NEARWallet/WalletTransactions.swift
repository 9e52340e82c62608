// SPDX-License-Identifier: Apache-2.0

public import NEARCourier
public import SigningCodecs

extension NEARWalletManager {
    /// The default gas of `callFunction`: 30 Tgas.
    public static let gasDefault = "30000000000000"

    /// Signs and sends one transaction; actions are JSON objects in the form of near-connect.
    public func signAndSendTransaction(
        receiverId: String, actions: [JSON]
    ) async throws(NEARError) -> TransactionResult {
        let account = try account()
        let result = try await call(
            "signAndSendTransaction",
            member("signerId", account.accountId) + Self.transaction(receiverId, actions))
        return try Self.result([result], raw: result)
    }

    /// Signs and sends several transactions in order; after a failure the rest is not sent.
    public func signAndSendTransactions(
        _ transactions: [(receiverId: String, actions: [JSON])]
    ) async throws(NEARError) -> TransactionResult {
        let account = try account()
        let list = transactions.map {
            JSON.object(JSONObject(Self.transaction($0.receiverId, $0.actions)))
        }
        let result = try await call(
            "signAndSendTransactions",
            member("signerId", account.accountId)
                + [.init(name: "transactions", value: .array(list))])
        return try Self.result(result.list ?? [], raw: result)
    }

    /// Sends NEAR to an account.
    public func sendNEAR(
        to receiverId: String, amountYocto: UInt128
    ) async throws(NEARError) -> TransactionResult {
        let transfer: JSON = [
            "type": "Transfer", "params": ["deposit": .string(String(amountYocto))],
        ]
        return try await signAndSendTransaction(receiverId: receiverId, actions: [transfer])
    }

    /// Calls a method of a contract with JSON arguments.
    public func callFunction(
        contractId: String, methodName: String, args: JSON = [:], gas: String = gasDefault,
        deposit: String = "0"
    ) async throws(NEARError) -> TransactionResult {
        // Bytes: in an action, a text alone would be read as Base64.
        let action: JSON = [
            "type": "FunctionCall",
            "params": [
                "methodName": .string(methodName),
                "args": .string(Base64.encode(args.write().span)), "gas": .string(gas),
                "deposit": .string(deposit),
            ],
        ]
        return try await signAndSendTransaction(receiverId: contractId, actions: [action])
    }

    /// Signs delegate actions for a relayer (NEP-366).
    public func signDelegateActions(
        _ delegateActions: [(receiverId: String, actions: [JSON])]
    ) async throws(NEARError) -> DelegateActionResult {
        let account = try account()
        let list = delegateActions.map {
            JSON.object(JSONObject(Self.transaction($0.receiverId, $0.actions)))
        }
        let result = try await call(
            "signDelegateActions",
            member("signerId", account.accountId)
                + [.init(name: "delegateActions", value: .array(list))])
        return DelegateActionResult(
            signedDelegateActions: result["signedDelegateActions"]?.list?.compactMap(\.text) ?? [])
    }

    /// Returns an account from the chain.
    public func viewAccount(_ accountId: String) async throws(NEARError) -> AccountView {
        do throws(NEARCourier.ReadingError) {
            return try await courier.account(accountId, on: network.rawValue)
        } catch {
            throw .rpcError(error.text)
        }
    }

    private static func transaction(
        _ receiverId: String, _ actions: [JSON]
    ) -> [JSONObject.Member] {
        [
            .init(name: "receiverId", value: .string(receiverId)),
            .init(name: "actions", value: .array(actions)),
        ]
    }

    private static func result(
        _ outcomes: [JSON], raw: JSON
    ) throws(NEARError) -> TransactionResult {
        let hashes = outcomes.compactMap { $0["transaction"]?["hash"]?.text }
        guard hashes.count == outcomes.count, !hashes.isEmpty else { throw .noTransactionHash }
        return TransactionResult(
            transactionHashes: hashes, rawResult: String(decoding: raw.write(), as: UTF8.self))
    }
}
