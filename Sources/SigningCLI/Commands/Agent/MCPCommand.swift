// SPDX-License-Identifier: Apache-2.0

import Glibc
import SigningAgent
import SigningCore
import SigningService
import Synchronization

extension CommandLineTool {
    static let mcp = Command(
        name: "mcp",
        options: [
            Option(name: "--client", value: "NAME"), Option(name: "--token-file", value: "FILE"),
        ], operands: 0...0,
        summary: "answer AI assistants (Model Context Protocol)",
        usage: """
            usage: countersign mcp [--client NAME] [--token-file FILE]

            Serves the Model Context Protocol on standard input and output, for AI assistants and
            other programs that act for people. The tools are accounts, explain, submit, wait,
            withdraw and limits. All of them need the agent of the home ("countersign agent"), where
            rules or a person decide. No tool approves anything. NAME is the client name that rules
            see, in place of the name that the program gives itself; both are only claims. With an
            access token, rules see token:NAME of the token instead. The token is read from FILE,
            which others may not read, or else from COUNTERSIGN_TOKEN.

            example: countersign mcp --token-file ~/.config/helper.token
            """
    ) { invocation in
        let home = try invocation.environment.home(invocation.arguments)
        let lock = OutputLock()
        let client = invocation.arguments.value("--client")
        if let client { _ = try RequestInput.peer(client) }
        let server = MCPServer(
            of: home, as: client, bearing: try token(invocation), version: CommandLineTool.version
        ) { line in
            lock.put(line + [0x0A])
        }
        await StopSignals.run { await server.serve(STDIN_FILENO) }
        return .done
    }

    /// The access token; never a command-line argument, which every program can read.
    private static func token(_ invocation: Invocation) throws -> String? {
        let token: String
        if let path = invocation.arguments.value("--token-file") {
            token = try TokenFile.read(path)
        } else if let text = invocation.environment["COUNTERSIGN_TOKEN"] {
            token = text
        } else if invocation.environment.isEmpty("COUNTERSIGN_TOKEN") {
            token = ""
        } else {
            return nil
        }
        guard !token.isEmpty else {
            throw CLIError(
                "the access token is empty",
                hint: "write a token there, or unset COUNTERSIGN_TOKEN to ask without a token")
        }
        guard token.hasPrefix(AccessToken.prefix), token.utf8.count == AccessToken.textCount else {
            throw CLIError(
                "the access token is malformed",
                hint: "make one: countersign agent token new --name NAME")
        }
        return token
    }
}

/// A file that holds an access token.
private enum TokenFile {
    private static let bytesMax = 256

    static func read(_ path: String) throws -> String {
        guard let file = Descriptor(opening: path, O_RDONLY | O_NONBLOCK | O_NOCTTY) else {
            throw CLIError(
                "\(VisibleText.escaped(path)) cannot be read",
                hint: "check the path and its permissions")
        }
        var status = stat()
        guard unsafe fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            status.st_uid == geteuid(), status.st_mode & 0o077 == 0, status.st_size <= bytesMax
        else {
            throw CLIError(
                "\(VisibleText.escaped(path)) is not a small file of yours alone",
                hint: "give a file with the token alone, and chmod 600 it")
        }
        let bytes = try Descriptor.readAll(file.number, name: VisibleText.escaped(path))
        return String(decoding: RequestInput.trimmingLineEnd(bytes), as: UTF8.self)
    }
}

/// Writes whole lines from any task; drops them once standard output is closed or blocked.
final class OutputLock: Sendable {
    private let isLost = Mutex(false)

    func put(_ bytes: [UInt8]) {
        isLost.withLock { isLost in
            var rest = bytes[...]
            let end = ContinuousClock.now + Self.patience
            while !rest.isEmpty, !isLost {
                var event = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
                if unsafe poll(&event, 1, 250) > 0 {
                    // A pipe that poll reports as writable takes this many bytes without blocking.
                    let part = Array(rest.prefix(Self.partBytes))
                    isLost = !Descriptor.write(part.span, to: STDOUT_FILENO)
                    rest = rest.dropFirst(part.count)
                } else if Task.isCancelled || ContinuousClock.now > end {
                    isLost = true
                }
            }
        }
    }

    private static let partBytes = 4_096
    private static let patience = Duration.seconds(60)
}
