// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// The state of an account's storage at a token contract (NEP-145), as a node reports it.
package enum StorageState: Hashable, Sendable {
    /// The account is registered.
    case registered
    /// The account is not registered; registering it takes at least this many yoctoNEAR.
    case missing(least: UInt128)
    /// The contract has no storage management.
    case notAsked
}

extension NEARRPC {
    /// Returns the state of an account's storage at a contract in the last final block.
    package func storage(
        of account: String, at contract: String
    ) async throws(RPCError) -> StorageState {
        let balance: JSON
        do throws(RPCError) {
            balance = try await view(
                "storage_balance_of", of: contract, ["account_id": .string(account)])
        } catch {
            // Contracts of tokens without NEP-145 register no one.
            if error.isAboutMissingMethod { return .notAsked }
            throw error
        }
        guard balance.isNull else { return .registered }
        return .missing(least: try await view("storage_balance_bounds", of: contract).amount("min"))
    }

    /// Returns the JSON that a view method of a contract returns.
    private func view(
        _ method: String, of contract: String, _ arguments: JSON = [:]
    ) async throws(RPCError) -> JSON {
        let result = try await query(
            "call_function", contract,
            [
                .init(name: "method_name", value: .string(method)),
                .init(name: "args_base64", value: .string(Base64.encode(arguments.write().span))),
            ])
        try Self.checkOldError(result)
        var bytes: [UInt8] = []
        for element in try result.list("result") {
            guard let number = element.integerValue, let byte = UInt8(exactly: number) else {
                throw .malformed("result is not a list of bytes")
            }
            bytes.append(byte)
        }
        do throws(CodecError) {
            return try JSON.parse(bytes.span, limits: Self.limits)
        } catch { throw .malformed("\(method) does not return JSON") }
    }
}

extension RPCError {
    /// True if a node reports that a contract does not have the method.
    fileprivate var isAboutMissingMethod: Bool {
        guard case .server(_, let message) = self else { return false }
        return message.contains("MethodNotFound")
    }
}
