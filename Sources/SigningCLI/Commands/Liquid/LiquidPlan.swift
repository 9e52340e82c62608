// SPDX-License-Identifier: Apache-2.0

import LiquidAuth
import SigningCodecs
import SigningCore

/// What `liquid connect` is to do, with all of it checked before anything is proved to anybody.
struct LiquidPlan: Sendable {
    let uri: LiquidURI
    let account: Account
    let program: ChannelProgram
    let servers: [ICEServer]
    let addresses: [String]
    let allowsInsecure: Bool
    let authorities: String?
    let patience: ChannelPatience

    private static let idleSecondsMax = 86_400
    private static let secondsMax = 604_800

    init(_ invocation: Invocation, in workspace: Workspace) throws(CLIError) {
        let arguments = invocation.arguments
        let text = try invocation.operand(0)
        do throws(LiquidURI.Fault) {
            uri = try LiquidURI(text)
        } catch {
            throw .usage(
                "the URI cannot be used: \(error.text)",
                hint: "give what the page shows: liquid://app.example/?requestId=...")
        }
        allowsInsecure = arguments.has("--allow-insecure")
        if uri.origin.scheme != "https", !(uri.isLoopback && allowsInsecure) {
            throw .usage(
                "the URI names a server without encryption",
                hint: uri.isLoopback
                    ? "add --allow-insecure, as it is on this machine" : "ask for one with https")
        }
        patience = ChannelPatience(
            idleSecondsMax: Int64(
                try arguments.count("--idle", default: 1_800, max: Self.idleSecondsMax)),
            secondsMax: Int64(
                try arguments.count("--most", default: 43_200, max: Self.secondsMax)))
        servers = try LiquidInput.servers(
            arguments.value("--ice"), file: arguments.value("--ice-file"))
        addresses = try LiquidInput.addresses(arguments.value("--addresses"))
        authorities = try arguments.value("--ca").map { path throws(CLIError) in
            try LiquidInput.checkIsFile(path, "--ca")
            return try LiquidCall.checked(path)
        }
        account = try LiquidCall.account(arguments.value("--key"), workspace)
        do throws(ChannelError) {
            program = try ChannelProgram(named: invocation.environment[ChannelProgram.variable])
        } catch {
            throw CLIError(error)
        }
    }

    /// The server, as the owner reads it.
    var place: String { VisibleText.escaped(uri.origin.text) }
}

extension CLIError {
    /// Why there is no channel.
    init(_ error: ChannelError) {
        switch error {
        case .missingProgram(let words, let hint): self.init(words, hint: hint)
        case .closed(let words), .timedOut(let words):
            self.init(
                "there is no channel: \(VisibleText.escaped(words))",
                hint: "load the page again, and give the URI that it shows then")
        case .tooLarge, .cancelled: self.init("there is no channel", hint: nil)
        }
    }
}
