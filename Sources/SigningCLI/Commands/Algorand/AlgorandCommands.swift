// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCore

extension CommandLineTool {
    static let algorandUnsent = Command(
        name: "algorand unsent", options: [], operands: 0...0,
        summary: "list signed transactions that may not have arrived",
        usage: """
            usage: countersign algorand unsent

            Lists the signed transactions and groups that may not have reached the network, each by
            the id of its first transaction. Needs no passphrase.

            example: countersign algorand unsent --json
            """
    ) { invocation in
        try await OutboxText.algorand.list(invocation)
    }

    static let algorandResend = Command(
        name: "algorand resend", options: [AlgorandNodes.option], operands: 1...1,
        summary: "ask for the state of one, and send it again",
        usage: """
            usage: countersign algorand resend [--algod URL] ID

            Asks a node for the state of an item of "algorand unsent". If the node does not know it,
            the same bytes are sent again; the network accepts them only once. Nothing is signed.
            URL is a node of the item's network; its token is read from COUNTERSIGN_ALGOD_TOKEN.

            example: countersign algorand resend --algod "$URL" "$ID"
            """
    ) { invocation in
        try await OutboxText.algorand.resend(invocation)
    }

    static let algorandForget = Command(
        name: "algorand forget", options: [], operands: 1...1,
        summary: "remove a transaction from that list",
        usage: """
            usage: countersign algorand forget ID

            Removes an item from the list of "algorand unsent". The transaction may still take
            effect until its last valid round.

            example: countersign algorand forget "$ID"
            """
    ) { invocation in
        try await OutboxText.algorand.forget(invocation)
    }

    static let algorandCommands = [
        algorandSend, algorandOptIn, algorandOptOut, algorandRekey, algorandKeyreg, algorandAppCall,
        algorandSign, algorandPost, algorandSignMessage, algorandConnections, algorandDisconnect,
        algorandClient,
        algorandUnsent, algorandResend, algorandForget,
    ]
}

extension OutboxText {
    static let algorand = OutboxText(
        protocolID: .algorand, command: "algorand",
        names: Names(
            id: "txnID", sender: "sender", bytes: "signedTransactions"),
        taken: "accepted", nodeHint: { AlgorandNodes.hint($0) },
        askHint: AlgorandNodes.askHint)
}
