// SPDX-License-Identifier: Apache-2.0

import Glibc
import SigningAgent
import SigningCodecs
import SigningService

extension CommandLineTool {
    static let browserCommands = [browserInstall, browserRemove]

    private static let options = [
        Option(name: "--browser", value: "NAME", offers: .fixed(Browser.allCases.map(\.rawValue))),
        Option(name: "--user-data", value: "DIR"),
    ]

    private static let browserInstall = Command(
        name: "browser install", options: options, operands: 0...0,
        summary: "unpack the extension and connect it to the agent",
        usage: """
            usage: countersign browser install --browser NAME [--user-data DIR]

            Unpacks the extension for chromium, chrome or firefox, allows it to start countersign in
            that browser, and explains how to load it. The extension sends the requests of pages to
            the agent of this home. --user-data is the profile folder, if the browser was started
            with another than its default.

            example: countersign browser install --browser chromium
            """
    ) { invocation in
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
        summary: "remove those files again",
        usage: """
            usage: countersign browser remove --browser NAME [--user-data DIR]

            Removes the files that "browser install" wrote for chromium, chrome or firefox. Remove
            the extension itself in the browser.

            example: countersign browser remove --browser chromium
            """
    ) { invocation in
        let place = try BrowserPlace(invocation)
        let isGone = try place.remove()
        invocation.console.done(
            ["removed": .bool(isGone)],
            isGone ? "removed \(place.manifest)" : "no files for \(place.browser) were found")
        return .done
    }

    static let browserHost = Command(
        name: "browser-host", options: [], operands: 0...0,
        traits: [.isForPrograms],
        summary: "pass messages between a browser's extension and the agent",
        usage: """
            usage: countersign browser-host

            A browser starts this command for the extension. It passes the messages from standard
            input to the agent of the home and writes the answers to standard output. It opens no
            other connection.

            example: countersign browser-host < messages
            """
    ) { invocation in
        let home = try invocation.environment.home(invocation.arguments)
        let lock = OutputLock()
        let host = BrowserHost(of: home) { message in lock.put(message) }
        try await StopSignals.run {
            try await host.serve(STDIN_FILENO)
        }
        return .done
    }
}
