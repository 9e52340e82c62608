// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningFiles
import SigningPolicy
import SigningService
import SigningVault

extension CommandLineTool {
    static let tokenCommands = [tokenNew, tokenList, tokenRevoke]

    private static let tokenNew = Command(
        of: OwnerActs.tokenNew, operands: 0...0,
        usage: """
            usage: countersign agent token new --name NAME [--browser] [--expires DAYS]
                   [--scope WORDS]

            Makes an access token, after the passphrase, and prints it alone to standard output; it
            is shown only this once. Rules, limits and remembered answers call the program that
            sends the token token:NAME, and no other program. --browser makes a token for one
            profile of a browser: the client is then the page that the extension names, and NAME is
            its client.profile. The token expires after DAYS (365; 0: never). WORDS, separated by
            commas, limit what it may be used for: requests of {protocols}, and reading keys,
            limits, explain, metrics. A name can be used only once in a home.

            example: countersign agent token new --name helper --expires 90 > helper.token
            """
    ) { invocation in
        let name = try invocation.arguments.required("--name")
        guard AccessToken.canName(name) else { throw CLIError(ServiceError.notATokenName(name)) }
        let days = try invocation.arguments.count("--expires", default: 365, min: 0, max: 3_650)
        let scope = try scope(invocation)
        let workspace = try invocation.workspace(toChange: true)
        try workspace.open.checkRoom(forToken: name)
        let passphrase = try invocation.passphrase().read(
            to: "make the access token \"\(name)\"")
        let made = try workspace.perform(
            OwnerActs.tokenNew,
            NewToken(
                named: name, isBrowser: invocation.arguments.has("--browser"), scope: scope,
                days: days == 0 ? nil : Int64(days)),
            with: passphrase)
        invocation.console.put(
            secret: made.text, asMember: invocation.console.isJSON ? "token" : nil)
        invocation.console.note(
            made.token.isBrowser
                ? "rules recognise its pages by client.proof \"browser\", client.profile "
                    + "\"\(name)\""
                : "in rules, a program with this token is \"\(Client.tokenPrefix)\(name)\"")
        return .done
    }

    private static let tokenList = Command(
        of: OwnerActs.tokenList, operands: 0...0,
        usage: """
            usage: countersign agent token list [--all]

            Lists the access tokens: name, for a program or a browser, whether it is valid, until
            when, and its scope. With --all it also lists revoked tokens.

            example: countersign agent token list --json
            """
    ) { invocation in
        let now = SystemEnvironment().now()
        let tokens = try invocation.workspace().perform(
            OwnerActs.tokenList, invocation.arguments.has("--all"))
        guard !invocation.console.isJSON else {
            invocation.console.put(JSON.array(tokens.map { $0.json(at: now) }).write())
            return .done
        }
        for token in tokens {
            let parts = [
                token.name, token.kind, token.state(at: now),
                token.expires.map { "until \($0.utcText)" } ?? "no expiry",
                token.scope.words?.joined(separator: ",") ?? "everything",
            ]
            invocation.console.put(parts.joined(separator: "  "))
        }
        if tokens.isEmpty { invocation.console.note("there are no access tokens") }
        return .done
    }

    private static let tokenRevoke = Command(
        of: OwnerActs.tokenRevoke, operands: 1...1,
        usage: """
            usage: countersign agent token revoke NAME

            Revokes an access token, after the passphrase, together with the remembered answers and
            the connections of its client. A running agent refuses the token from its next request
            on; its questions that wait are withdrawn. No other token can get the name.

            example: countersign agent token revoke helper
            """
    ) { invocation in
        let workspace = try invocation.workspace(toChange: true)
        let name = try invocation.operand(0)
        let known = try workspace.perform(OwnerActs.tokenList, true)
        guard let token = known.first(where: { $0.name == name && $0.revoked == nil }) else {
            let isOver = known.contains { $0.name == name }
            let near = Suggestion.closest(
                to: name, among: known.filter { $0.revoked == nil }.map(\.name))
            throw CLIError(
                "\"\(VisibleText.quotable(name))\" "
                    + (isOver ? "was revoked before" : "is not an access token of this home"),
                hint: near.map { "did you mean \"\($0)\"?" }
                    ?? "see \"countersign agent token list\"")
        }
        let passphrase = try invocation.passphrase().read(
            to: "revoke the access token \"\(name)\"")
        let count = try workspace.perform(OwnerActs.tokenRevoke, token, with: passphrase)
        invocation.console.done(
            ["revoked": .string(name), "grants": .integer(Int64(count))],
            "revoked: \(name), with \(count) remembered \(count == 1 ? "answer" : "answers")")
        workspace.checkpointIfSound(try workspace.openLedger(), invocation.console)
        return .done
    }

    private static func scope(_ invocation: Invocation) throws -> AccessToken.Scope {
        guard let text = invocation.arguments.value("--scope") else { return .init(nil) }
        let known = invocation.protocols.names + AccessToken.Scope.reads
        let words = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        for word in words where !known.contains(word) {
            throw CLIError.usage(
                "unknown word in --scope: \"\(VisibleText.quotable(word))\"",
                hint: "use, separated by commas: \(known.joined(separator: ", "))")
        }
        return .init(words)
    }
}

extension AccessToken {
    fileprivate var kind: String { isBrowser ? "browser" : "program" }

    fileprivate func state(at time: Timestamp) -> String {
        revoked != nil ? "revoked" : isExpired(at: time) ? "expired" : "good"
    }

    fileprivate func json(at time: Timestamp) -> JSON {
        [
            "name": .string(name), "kind": .string(kind), "state": .string(state(at: time)),
            "created": .string(created.utcText),
            "expires": expires.map { .string($0.utcText) } ?? .null,
            "scope": scope.words.map { .array($0.map { .string($0) }) } ?? .null,
        ]
    }
}
