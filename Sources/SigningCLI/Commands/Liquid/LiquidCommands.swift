// SPDX-License-Identifier: Apache-2.0

import Algorand
import LiquidAuth
import SigningAgent
import SigningCodecs
import SigningCore
import SigningPolicyTools
import SigningService
import SigningVault

extension CommandLineTool {
    static let liquidCommands = [
        liquidConnect, liquidList, liquidClose, liquidLogin, liquidPasskeysList,
        liquidPasskeysRename, liquidPasskeysRemove,
    ]

    private static let liquidLogin = Command(
        name: "liquid login",
        options: [
            Option(name: "--key", value: "NAME", offers: .keys),
            Option(name: "--allow-insecure", value: nil),
            Option(name: "--ca", value: "FILE"), AlgorandNodes.option,
        ], operands: 1...1,
        summary: "log in at the server of a liquid: address",
        usage: """
            usage: countersign liquid login [--key NAME] [--ca FILE] [--allow-insecure]
                   [--algod URL] URI|PICTURE

            Logs in at the server of a liquid: address that an app shows, with an Algorand account.
            It uses the passkey for that server, or makes a new passkey that the account signs. The
            policy judges either request. No channel to the app is opened. PICTURE is a PNG file
            with the address as a QR code. FILE contains certificates to trust instead of the
            certificates of the system. A server without encryption needs --allow-insecure and has
            to be on this machine. The Algorand node of --algod, COUNTERSIGN_ALGOD_MAINNET or
            COUNTERSIGN_ALGOD_TESTNET is asked which key signs for the account. An account that was
            rekeyed logs in with that key if it is in this home, and is refused otherwise.

            example: countersign liquid login "liquid://app.example/?requestId=0190..."
            """
    ) { invocation in
        let call = try LiquidCall(invocation)
        return try await StopSignals.run { try await call.run() }
    }

    private static let liquidPasskeysList = Command(
        name: "liquid passkeys list", options: [], operands: 0...0,
        summary: "list the passkeys",
        usage: """
            usage: countersign liquid passkeys list

            Lists the passkeys with which accounts log in at Liquid Auth servers: name, host,
            account, and the time it was made. Needs no passphrase.

            example: countersign liquid passkeys list --json
            """
    ) { invocation in
        let passkeys = try LiquidCall.passkeys(try invocation.workspace())
        guard !invocation.console.isJSON else {
            let rows = passkeys.map { passkey -> JSON in
                [
                    "name": .string(passkey.name), "host": .string(passkey.host),
                    "account": .string(passkey.address),
                    "credential": .string(passkey.credentialText),
                    "made": .string(passkey.created.utcText),
                ]
            }
            invocation.console.put(JSON.array(rows).write())
            return .done
        }
        if passkeys.isEmpty { invocation.console.note("no passkey") }
        for passkey in passkeys {
            let made = passkey.created.utcText
            invocation.console.put("\(passkey.name)  \(passkey.host)  \(passkey.address)  \(made)")
        }
        return .done
    }

    private static let liquidPasskeysRename = Command(
        name: "liquid passkeys rename", options: [], operands: 2...2,
        summary: "rename a passkey",
        usage: """
            usage: countersign liquid passkeys rename NAME NEW

            Gives a passkey another name, after the passphrase. The server does not see the name.

            example: countersign liquid passkeys rename app.example.treasury app
            """
    ) { invocation in
        let workspace = try invocation.workspace(toChange: true)
        let passkey = try LiquidCall.passkey(try invocation.operand(0), workspace)
        let name = try invocation.operand(1)
        let passphrase = try invocation.passphrase().read(
            to: "rename the passkey \"\(passkey.name)\"")
        try workspace.change(with: passphrase) { vault in
            try vault.renamePasskey(passkey.name, to: name)
        }
        invocation.console.done(
            ["name": .string(name), "before": .string(passkey.name)],
            "renamed \(passkey.name) to \(name)")
        return .done
    }

    private static let liquidPasskeysRemove = Command(
        name: "liquid passkeys remove", options: [], operands: 1...1,
        summary: "delete a passkey",
        usage: """
            usage: countersign liquid passkeys remove NAME

            Deletes a passkey permanently, after the passphrase. The server does not learn of this:
            remove the passkey there too. The next login makes a new one.

            example: countersign liquid passkeys remove app.example.treasury
            """
    ) { invocation in
        let workspace = try invocation.workspace(toChange: true)
        let passkey = try LiquidCall.passkey(try invocation.operand(0), workspace)
        let passphrase = try invocation.passphrase().read(
            to: "forget the passkey \"\(passkey.name)\"")
        try workspace.change(with: passphrase) { vault in
            try vault.removePasskey(passkey.name)
        }
        invocation.console.done(
            ["removed": .string(passkey.name)], "forgot \(passkey.name)")
        return .done
    }
}

extension ServerLogin {
    /// The two ceremonies of Liquid Auth.
    static let liquid = ServerLogin(
        .algorand, [AlgorandVocabulary.liquidLogin, AlgorandVocabulary.liquidRegister],
        .liquidChallenge)
}
