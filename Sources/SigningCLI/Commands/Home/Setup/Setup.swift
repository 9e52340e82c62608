// SPDX-License-Identifier: Apache-2.0

import SigningService

extension CommandLineTool {
    static let setUp = Command(
        name: "setup", options: SetupSteps.options, operands: 0...0,
        summary: "set up home, key, policy and clients",
        usage: """
            usage: countersign setup [OPTION...]

            options: --key P, --import, --name NAME, --policy PRESET, --browser NAME,
                     --phone RELAYS, --phone-key KEY, --program NAME, --agent WORD,
                     --socket PATH, --web PORT

            Sets up a signer in five steps: home, key, policy, clients, agent. It asks one question
            at a time, and for the passphrase once. It runs the commands that it shows, and nothing
            else. Run it again at any time: it leaves alone what is there.

            An option answers its question; "none" leaves a step out, and so does a question without
            a terminal. --key is the protocol of a new key, and --import reads its secret. --policy
            is ask-everything, social-basics or login-only. --browser is chromium, chrome or
            firefox. --phone makes a connection for an app over relays, with the Nostr key of
            --phone-key. --program makes an access token for a program. --agent is start, login (at
            each login, if systemd has its unit) or none; without it and without a terminal no agent
            is started. --socket is its socket, and --web its port for browsers.

            example: countersign setup
            """
    ) { invocation in
        guard !invocation.console.isJSON else {
            throw CLIError.usage(
                "setup writes no JSON", hint: "run the commands that it shows with --json")
        }
        try SetupSteps.checkOptions(of: invocation)
        let kept = try await SetupHome(invocation).open()
        try await SetupSteps(invocation, kept).run()
        return .done
    }
}

/// The first step: a home whose passphrase is known.
private struct SetupHome {
    private let invocation: Invocation

    init(_ invocation: Invocation) { self.invocation = invocation }

    /// Makes the home, or checks the passphrase of the one that is there.
    func open() async throws -> KeptPassphrase {
        let path = try invocation.environment.home(invocation.arguments)
        let passphrase = try invocation.passphrase()
        invocation.console.note("step 1 of 5: the home, a folder for keys, policy and record")
        guard try OpenHome.isMade(at: path) else {
            let kept = KeptPassphrase(try passphrase.readNew(), isTyped: passphrase.isTyped)
            try await SetupSteps(invocation, kept).perform(["init"])
            return kept
        }
        let workspace = try invocation.workspace(toWrite: true)
        for attempt in 1...passphrase.attemptsMax {
            let secret = try passphrase.read(to: "set up \(path)", isAgain: attempt > 1)
            let kept = KeptPassphrase(secret, isTyped: passphrase.isTyped)
            do {
                try workspace.unlock(kept.copy())
                invocation.console.note("\(path) is there")
                return kept
            } catch {
                guard attempt < passphrase.attemptsMax else { throw error }
            }
        }
        throw ServiceError.cancelled
    }
}
