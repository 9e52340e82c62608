// SPDX-License-Identifier: Apache-2.0

import Glibc
import SigningAgent
import SigningService
import Synchronization

extension CommandLineTool {
    static let mcp = Command(
        name: "mcp", options: [Option(name: "--client", value: "NAME")], operands: 0...0,
        usage: """
            usage: countersign mcp [--client NAME]

            Speaks the Model Context Protocol on standard input and output, for programs that act
            for people: accounts, explain, submit, wait, withdraw, limits. All of it is asked of the
            agent of the home, which has to run ("countersign agent"); rules decide, or a person
            there. No tool approves anything. NAME is what rules know the program by, in place of
            what it calls itself; either is a claim.

            example: countersign mcp --client helper
            """
    ) { invocation throws(CLIError) in
        let home = try invocation.environment.home(invocation.arguments)
        let lock = OutputLock()
        let server = MCPServer(
            of: home, as: invocation.arguments.value("--client"), version: CommandLineTool.version
        ) { line in
            lock.put(line + [0x0A])
        }
        await StopSignals.run { await server.serve(STDIN_FILENO) }
        return .done
    }
}

/// Lines stay whole, whoever writes them; where nobody reads them any more they are dropped.
private final class OutputLock: Sendable {
    private let isLost = Mutex(false)

    func put(_ bytes: [UInt8]) {
        isLost.withLock { isLost in
            var rest = bytes[...]
            let end = ContinuousClock.now + Self.patience
            while !rest.isEmpty, !isLost {
                var event = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
                if unsafe poll(&event, 1, 250) > 0 {
                    // A pipe that is ready takes so much without a wait.
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
