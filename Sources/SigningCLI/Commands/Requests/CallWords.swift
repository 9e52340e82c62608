// SPDX-License-Identifier: Apache-2.0

import SigningCore

/// What the command line calls the things that a wire has other names for: a person who typed
/// `near send` knows nothing of `signerId`.
struct CallWords {
    /// The command that put the request together.
    let command: String
    /// Members of the wire, and the options that make them.
    private let options: [(member: String, option: String)]

    static func near(_ command: String) -> CallWords {
        // What others take comes from a file, which has the wire's own names.
        let operands =
            ["near send", "near call"].contains(command)
            ? [("receiverId", "the receiver"), ("methodName", "the method")] : []
        return CallWords(
            command: command,
            options: operands + [
                ("accountId or signerId", "--account"), ("signerId", "--account"),
                ("accountId", "--account"), ("network", "--network"), ("nonce", "--nonce"),
                ("recipient", "--recipient"), ("callbackUrl", "--callback-url"),
                ("state", "--state"), ("publicKey", "--public-key"), ("contractId", "--contract"),
                ("blockHash", "--block-hash"), ("maxBlockHeight", "--max-block-height"),
            ])
    }

    static func algorand(_ command: String) -> CallWords {
        CallWords(
            command: command,
            options: [("params.signer", "--account"), ("params.message", "the message")])
    }

    /// A refusal's reason in these words.
    func spoken(_ reason: String) -> String {
        for (member, option) in options {
            if reason == member || reason.hasPrefix(member + " ") {
                return option + reason.dropFirst(member.count)
            }
            // Words of plain English are names only where a sentence begins with them.
            let isName = member.contains { $0.isUppercase || $0 == "." }
            if isName, reason.contains(member) {
                return reason.replacing(member, with: option)
            }
        }
        return reason
    }

    /// What to do about a refusal.
    func hint(_ code: String) -> String {
        switch code {
        case "account_required", "account_not_found":
            "name one with --account; see \"countersign key list\""
        case "network_mismatch": "check --network and --account; see \"countersign key list\""
        default:
            Self.hint(code)
                ?? (code.hasPrefix("invalid_") || code.allSatisfy(\.isNumber)
                    ? "see \"countersign \(command) --help\""
                    : "the request was refused as \(code)")
        }
    }

    /// The same where the request came from elsewhere.
    static func hint(_ code: String) -> String? {
        code == "network_unavailable"
            ? "give --rpc URL, or set COUNTERSIGN_NEAR_MAINNET_RPC or ..._TESTNET_RPC" : nil
    }
}
