// SPDX-License-Identifier: Apache-2.0

import SigningCore

/// The command-line words for members of a wire, as a person who typed `near send` does not know
/// `signerId`.
struct CallWords {
    /// The command that built the request.
    let command: String
    /// The members of the wire with their options.
    private let options: [(member: String, option: String)]

    static func near(_ command: String) -> CallWords {
        // The operands of other commands are files, whose members have the wire's names.
        let operands: [(member: String, option: String)] =
            switch command {
            case "near send", "near call":
                [("receiverId", "the receiver"), ("methodName", "the method")]
            case "near stake": [("receiverId", "the pool")]
            default: []
            }
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

    static func nostr(_ command: String) -> CallWords {
        CallWords(command: command, options: [])
    }

    /// The reason of a refusal, in the words of the command line.
    func spoken(_ reason: String) -> String {
        for (member, option) in options {
            if reason == member || reason.hasPrefix(member + " ") {
                return option + reason.dropFirst(member.count)
            }
            // An ordinary English word is a member name only at the start of a sentence.
            let isName = member.contains { $0.isUppercase || $0 == "." }
            if isName, reason.contains(member) {
                return reason.replacing(member, with: option)
            }
        }
        return reason
    }

    /// The hint for a refusal code.
    func hint(_ code: String) -> String {
        switch code {
        case "account_required", "account_not_found":
            "give the account with --account; see \"countersign key list\""
        case "network_mismatch": "check --network and --account; see \"countersign key list\""
        default:
            Self.hint(code)
                ?? (code.hasPrefix("invalid_") || code.allSatisfy(\.isNumber)
                    ? "see \"countersign \(command) --help\""
                    : "the request was refused as \(code)")
        }
    }

    /// The hint for a refusal of a request that no command built.
    static func hint(_ code: String) -> String? {
        code == "network_unavailable"
            ? "give --rpc URL, or set COUNTERSIGN_NEAR_MAINNET_RPC or ..._TESTNET_RPC" : nil
    }
}
