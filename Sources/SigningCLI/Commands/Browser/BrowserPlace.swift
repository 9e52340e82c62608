// SPDX-License-Identifier: Apache-2.0

import BrowserExtension
import Glibc
import SigningCodecs
import SigningService

/// A browser that the extension supports.
enum Browser: String, CaseIterable {
    case chromium, chrome, firefox

    /// The id of the extension: derived from the key in its manifest, or set in it for Firefox.
    var extensionID: String {
        self == .firefox ? BrowserExtension.firefoxID : BrowserExtension.chromiumID
    }

    /// The folder of the browser's user data, usually below the home folder of the user.
    func userData(_ environment: Environment, user: String) -> String {
        let settings = environment["XDG_CONFIG_HOME"] ?? "\(user)/.config"
        return switch self {
        case .chromium: "\(settings)/chromium"
        case .chrome: "\(settings)/google-chrome"
        case .firefox: "\(user)/.mozilla"
        }
    }

    /// The folder of host manifests within the user data.
    var hostFolder: String {
        self == .firefox ? "native-messaging-hosts" : "NativeMessagingHosts"
    }

    /// The manifest member that names the extension allowed to start the host.
    var authenticator: JSONObject.Member {
        self == .firefox
            ? .init(name: "allowed_extensions", value: [.string(extensionID)])
            : .init(
                name: "allowed_origins", value: [.string("chrome-extension://\(extensionID)/")])
    }
}

/// The files that are installed for one browser, and their folders.
struct BrowserPlace {
    let browser: Browser
    /// The unpacked extension.
    let extensionFolder: String
    private let hosts: String

    init(_ invocation: Invocation) throws {
        let name = try invocation.arguments.required("--browser")
        guard let browser = Browser(rawValue: name) else {
            let known = Browser.allCases.map(\.rawValue).joined(separator: ", ")
            throw CLIError.usage("unknown browser \"\(name)\"", hint: "one of: \(known)")
        }
        let data = invocation.arguments.value("--user-data")
        guard let place = BrowserPlace(browser, invocation.environment, userData: data) else {
            throw CLIError("the home directory of the user is not known", hint: "set HOME")
        }
        self = place
    }

    /// The files for a browser with the given folder of user data, or its usual one; nil without
    /// `HOME`.
    init?(_ browser: Browser, _ environment: Environment, userData: String? = nil) {
        guard let user = environment["HOME"] else { return nil }
        self.browser = browser
        let data = userData ?? browser.userData(environment, user: user)
        hosts = "\(data)/\(browser.hostFolder)"
        let share = environment["XDG_DATA_HOME"] ?? "\(user)/.local/share"
        extensionFolder = "\(share)/countersign/extension-\(browser)"
    }

    /// The path of the host manifest.
    var manifest: String { "\(hosts)/\(BrowserExtension.hostName).json" }
    /// The script that the browser starts, as a host manifest cannot hold arguments.
    private var script: String { "\(hosts)/\(BrowserExtension.hostName).sh" }

    func install(home: String) throws {
        let program = try Self.resolved("/proc/self/exe")
        let manifest = JSON.object(
            JSONObject([
                .init(name: "name", value: .string(BrowserExtension.hostName)),
                .init(name: "description", value: "Passes requests of web pages to Countersign"),
                .init(name: "path", value: .string(try Self.absolute(script))),
                .init(name: "type", value: "stdio"), browser.authenticator,
            ]))
        for file in BrowserExtension.files {
            try Self.put(file.bytes, at: "\(extensionFolder)/\(file.name)", mode: 0o644)
        }
        let start = Self.scriptStart + Self.quoted(program) + (try Self.scriptEnd(home: home))
        try Self.put(Array(start.utf8), at: script, mode: 0o700)
        try Self.put(manifest.write() + [0x0A], at: self.manifest, mode: 0o600)
    }

    /// Removes the files; returns true if there were any.
    func remove() throws -> Bool {
        let files = BrowserExtension.files.map { "\(extensionFolder)/\($0.name)" }
        var isGone = false
        for path in [manifest, script] + files {
            if unsafe unlink(path) == 0 {
                isGone = true
            } else if errno != ENOENT {
                throw CLIError(
                    "\(path) cannot be removed",
                    hint: "check that the file and its folder are yours")
            }
        }
        _ = unsafe rmdir(extensionFolder)
        return isGone
    }

    /// The next steps for the person, to load the extension.
    var howToLoad: String {
        let load =
            switch browser {
            case .chromium, .chrome:
                "open chrome://extensions, switch on \"Developer mode\", press \"Load unpacked\" "
                    + "and choose\n  \(extensionFolder)"
            case .firefox:
                "open about:debugging#/runtime/this-firefox, press \"Load Temporary Add-on\" and "
                    + "choose\n  \(extensionFolder)/manifest.json"
            }
        return """
            wrote \(manifest)
            1. \(load)
            2. pair it: countersign agent token new --browser --name NAME, and paste the token
               into the options of the extension
            """
    }
}

extension BrowserPlace {
    private static let scriptStart =
        "#!/bin/sh\n# Written by \"countersign browser install\"; the browser starts it.\nexec "

    private static func scriptEnd(home: String) throws -> String {
        " --home \(quoted(try absolute(home))) browser-host\n"
    }

    /// The state of the files for a home.
    enum State: Hashable {
        case missing, forAnotherHome, complete
        /// The browser can not use the files, for this reason.
        case broken(String)
    }

    /// Compares the files with those that this program would write for a home.
    func state(for home: String) throws -> State {
        guard let start = SmallFile.text(at: script) else {
            return unsafe access(manifest, F_OK) == 0 ? .broken("\(script) is missing") : .missing
        }
        let end = try Self.scriptEnd(home: home)
        guard start.hasPrefix(Self.scriptStart), start.hasSuffix(end) else {
            return .forAnotherHome
        }
        let program = start.dropFirst(Self.scriptStart.count).dropLast(end.count)
        let path = String(program.dropFirst().dropLast().replacing("'\\''", with: "'"))
        guard unsafe access(path, X_OK) == 0 else { return .broken("\(path) is missing") }
        guard SmallFile.text(at: manifest)?.contains(browser.extensionID) == true else {
            return .broken("\(manifest) is missing or changed")
        }
        let isWhole = BrowserExtension.files.allSatisfy {
            SmallFile.bytes(at: "\(extensionFolder)/\($0.name)") == $0.bytes
        }
        return isWhole ? .complete : .broken("the extension is of another version, or incomplete")
    }

    /// Replaces a file atomically, so that no browser reads half of it.
    private static func put(_ bytes: [UInt8], at path: String, mode: mode_t) throws {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let folders = (1..<parts.count).map { parts[..<$0].joined(separator: "/") }
        for folder in folders where !folder.isEmpty {
            guard unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST else {
                throw CLIError(
                    "\(folder) cannot be created",
                    hint: "check that the folder above it is yours")
            }
        }
        let fresh = "\(path).new"
        _ = unsafe unlink(fresh)
        try NewFile.write(bytes, to: fresh)
        guard unsafe chmod(fresh, mode) == 0, unsafe rename(fresh, path) == 0 else {
            throw CLIError(
                "\(path) cannot be written",
                hint: "check that no folder has this name and that the disk is not full")
        }
    }

    /// The text as one quoted word of the shell.
    static func quoted(_ text: String) -> String {
        "'\(text.replacing("'", with: "'\\''"))'"
    }

    private static func absolute(_ path: String) throws -> String {
        path.hasPrefix("/") ? path : "\(try resolved("."))/\(path)"
    }

    private static func resolved(_ path: String) throws -> String {
        guard let real = unsafe realpath(path, nil) else {
            throw CLIError("\(path) cannot be found", hint: "check that the folder still exists")
        }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }
}
