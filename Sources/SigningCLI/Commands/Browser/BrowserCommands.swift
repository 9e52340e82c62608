// SPDX-License-Identifier: Apache-2.0

import Glibc
import SigningAgent
import SigningCodecs
import SigningService

extension CommandLineTool {
    static let browserCommands = [browserInstall, browserRemove, browserHost]

    private static let options = [
        Option(name: "--browser", value: "NAME"), Option(name: "--user-data", value: "DIR"),
    ]

    private static let browserInstall = Command(
        name: "browser install", options: options, operands: 0...0,
        usage: """
            usage: countersign browser install --browser NAME [--user-data DIR]

            Unpacks the extension for one of chromium, chrome, firefox, tells that browser which
            program the extension may talk to, and says how to load it. What pages then ask goes
            to the agent of this home. --user-data is the folder of a browser that was started
            with one of its own.

            example: countersign browser install --browser chromium
            """
    ) { invocation throws(CLIError) in
        let place = try BrowserPlace(invocation)
        let home = try invocation.environment.home(invocation.arguments)
        try place.install(home: home)
        invocation.console.done(
            [
                "extension": .string(place.extensionFolder), "host": .string(place.manifest),
                "id": .string(place.browser.extensionID),
            ], place.howToLoad)
        return .done
    }

    private static let browserRemove = Command(
        name: "browser remove", options: options, operands: 0...0,
        usage: """
            usage: countersign browser remove --browser NAME [--user-data DIR]

            Takes away what "browser install" wrote for one of chromium, chrome, firefox. The
            extension itself is removed in the browser.

            example: countersign browser remove --browser chromium
            """
    ) { invocation throws(CLIError) in
        let place = try BrowserPlace(invocation)
        let isGone = try place.remove()
        invocation.console.done(
            ["removed": .bool(isGone)],
            isGone ? "removed \(place.manifest)" : "no files for \(place.browser) were found")
        return .done
    }

    private static let browserHost = Command(
        name: "browser-host", options: [], operands: 0...0,
        usage: """
            usage: countersign browser-host

            What a browser starts for the extension: hands its messages on standard input to the
            agent of the home, and writes the answers to standard output. It opens nothing else.

            example: countersign browser-host < messages
            """
    ) { invocation throws(CLIError) in
        let home = try invocation.environment.home(invocation.arguments)
        let lock = OutputLock()
        let host = BrowserHost(of: home) { message in lock.put(message) }
        do throws(ServiceError) {
            try await StopSignals.run { () throws(ServiceError) in
                try await host.serve(STDIN_FILENO)
            }
        } catch {
            throw CLIError(error)
        }
        return .done
    }
}
