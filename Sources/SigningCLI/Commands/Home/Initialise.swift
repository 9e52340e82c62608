// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningService

extension CommandLineTool {
    static let initialise = Command(
        name: "init", options: [], operands: 0...0,
        usage: """
            usage: countersign init

            Makes the home folder (0700) with an empty vault, sealed by a new passphrase, an empty
            ledger, and a policy.toml that asks about everything and explains itself.

            example: countersign init --home ~/.countersign
            """
    ) { invocation throws(CLIError) in
        let path = try invocation.environment.home(invocation.arguments)
        try CLIError.wrapping { () throws(ServiceError) in try OpenHome.refuseTaken(path) }
        // Whoever gives up here leaves nothing behind.
        let passphrase = try invocation.passphrase().readNew()
        let made: Bool
        do throws(ServiceError) {
            made = try OpenHome.create(
                at: path, speaking: invocation.protocols, passphrase: passphrase)
        } catch {
            throw CLIError(error)
        }
        invocation.console.done(
            ["home": .string(path)],
            made ? "made \(path)" : "\(path) was all but ready: it has the passphrase given first")
        let place = invocation.arguments.value("--home").map { "--home \($0) " } ?? ""
        invocation.console.note(
            "next: countersign key new \(place)--protocol nostr --name NAME, then edit "
                + "\(path)/policy.toml and run countersign policy attest"
                + (place.isEmpty ? "" : " \(place.dropLast())"))
        return .done
    }
}
