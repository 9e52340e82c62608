// SPDX-License-Identifier: Apache-2.0

import NEP413
import SigningCore

extension CommandLineTool {
    /// Answers a `near:` link and opens the callback with the answer.
    static func openLink(_ text: String, _ invocation: Invocation) async throws -> ExitStatus {
        let link: NEARLink
        do throws(NEARLink.ParseError) {
            link = try NEARLink(text)
        } catch {
            throw CLIError(
                "this link is not answered: \(VisibleText.escaped(error.text))",
                hint: "a link has the form near://testnet/sign?transactions=...&callbackUrl=...")
        }
        for option in ["--client", "--adapter", "--post", "--address"]
        where invocation.arguments.has(option) {
            throw CLIError.usage(
                "\(option) does not apply to a near: link",
                hint: "leave it out: the link itself names the address for the answer")
        }
        let home = try await CommandHome(invocation)
        invocation.console.note("the answer will go to \(VisibleText.escaped(link.target))")
        let answering = try await Answering(
            invocation, link.frame, for: NEP413Adapter(), in: home, from: link.callbackClient,
            isByLink: true)
        guard let reply = answering.message, let callback = link.callback(carrying: reply) else {
            return answering.finish()
        }
        invocation.console.put(callback)
        let status = answering.finish()
        try await answering.open(callback)
        return status
    }
}
