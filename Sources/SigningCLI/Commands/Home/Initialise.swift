// SPDX-License-Identifier: Apache-2.0

import PolicyPresets
import SigningCodecs
import SigningService

extension CommandLineTool {
    static let initialise = Command(
        name: "init",
        options: [Option(name: "--ledger", value: "ADDRESS"), hubOption, Confirmation.wordsOption],
        operands: 0...0,
        summary: "make a home: a vault, and a policy that asks you",
        usage: """
            usage: countersign init [--ledger ADDRESS [--hub NAME] [--confirm WORDS]]

            Makes the folder of the home (mode 0700) with an empty vault, sealed with a new
            passphrase, an empty ledger, and a policy.toml that asks about every request and
            explains itself. With --ledger the record goes into a new log on PostgreSQL, as with
            "ledger move".

            example: countersign init --home ~/.countersign
            """
    ) { invocation in
        let path = try invocation.environment.home(invocation.arguments)
        let shared = try sharedLedger(invocation)
        try OpenHome.refuseTaken(path)
        // The home is created after the passphrase, so a person who stops here leaves no files
        // behind.
        let passphrase = try invocation.passphrase().readNew()
        let made = try OpenHome.create(
            at: path, speaking: invocation.protocols, passphrase: passphrase,
            policy: String(decoding: PolicyPreset.askEverything.source, as: UTF8.self))
        invocation.console.done(
            ["home": .string(path)],
            made
                ? "made \(path)"
                : "an earlier command had almost finished \(path); its "
                    + "passphrase is the one given then")
        if let (address, name) = shared {
            let workspace = try Workspace(path: path, invocation.protocols)
            try workspace.unlock(passphrase)
            do {
                try workspace.share(address, as: name, invocation.console)
            } catch {
                let error = CLIError(error)
                throw CLIError(
                    "the home was made, but its record is not shared: \(error.message)",
                    hint: "correct that, then: countersign ledger move ADDRESS")
            }
        }
        // The outer command says what is next.
        guard invocation.kept == nil else { return .done }
        let place = invocation.arguments.value("--home").map { "--home \($0) " } ?? ""
        invocation.console.note(
            "next: countersign key new \(place)--protocol nostr --name NAME, then edit "
                + "\(path)/policy.toml and run countersign policy attest"
                + (place.isEmpty ? "" : " \(place.dropLast())"))
        return .done
    }

    /// The address of the shared record and the name of this hub; nil without a shared record.
    private static func sharedLedger(
        _ invocation: Invocation
    ) throws -> (address: String, name: String)? {
        guard let address = invocation.arguments.value("--ledger") else {
            guard !invocation.arguments.has(hubOption.name) else {
                throw CLIError.usage(
                    "\(hubOption.name) applies only to a shared record",
                    hint: "give --ledger ADDRESS with it")
            }
            return nil
        }
        try LossAcceptance.read(for: address, invocation)
        return (address, try HubName.of(invocation))
    }
}
