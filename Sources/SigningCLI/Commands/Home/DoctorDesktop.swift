// SPDX-License-Identifier: Apache-2.0

import Glibc
import SigningCore

extension Finding {
    /// Examines the desktop entries that the user chose for links; nil if none was chosen.
    ///
    /// Sources: the "MIME Applications" and "Desktop Entry" specifications of freedesktop.org.
    static func desktop(_ environment: Environment) -> Finding? {
        guard let user = environment["HOME"] else { return nil }
        let settings = environment["XDG_CONFIG_HOME"] ?? "\(user)/.config"
        let own = environment["XDG_DATA_HOME"] ?? "\(user)/.local/share"
        let shared = environment["XDG_DATA_DIRS"] ?? "/usr/local/share:/usr/share"
        let folders = [own] + shared.split(separator: ":").map(String.init)
        let chosen = chosen(in: SmallFile.text(at: "\(settings)/mimeapps.list") ?? "")
        guard !chosen.isEmpty else { return nil }
        for entry in Set(chosen.map(\.entry)).sorted() {
            let files = folders.lazy.map { "\($0)/applications/\(entry)" }
            guard let text = files.compactMap({ SmallFile.text(at: $0) }).first else {
                return Finding(
                    "desktop", "links are set to \(entry), which is not installed",
                    fix: "copy \(entry) of this version to \(own)/applications")
            }
            let program = program(of: text)
            guard isRunnable(program, environment) else {
                return Finding(
                    "desktop",
                    VisibleText.escaped("\(entry) runs \(program), which is not on the PATH"),
                    fix: "install the program in a folder on the PATH, such as /usr/local/bin")
            }
        }
        let schemes = chosen.map(\.scheme).joined(separator: ", ")
        return Finding("desktop", VisibleText.escaped("opens links of \(schemes)"))
    }

    /// The schemes whose links the user gave to an entry of this program.
    private static func chosen(in text: String) -> [(scheme: String, entry: String)] {
        let kind = "x-scheme-handler/"
        var isDefault = false
        var found: [(scheme: String, entry: String)] = []
        for line in text.split(whereSeparator: \.isNewline) {
            if line.hasPrefix("[") { isDefault = line.hasPrefix("[Default Applications]") }
            let parts = line.split(separator: "=", maxSplits: 1)
            guard isDefault, parts.count == 2, parts[0].hasPrefix(kind),
                let entry = parts[1].split(separator: ";").first.map(String.init),
                entries.contains(entry)
            else { continue }
            found.append((String(parts[0].dropFirst(kind.count)), entry))
        }
        return found
    }

    private static let entries = ["countersign.desktop", "countersign-liquid.desktop"]

    /// The first word of the line `Exec`.
    private static func program(of entry: String) -> String {
        let line = entry.split(whereSeparator: \.isNewline).first { $0.hasPrefix("Exec=") }
        return line.map { String($0.dropFirst(5).prefix { $0 != " " }) } ?? ""
    }

    private static func isRunnable(_ program: String, _ environment: Environment) -> Bool {
        guard !program.isEmpty else { return false }
        let folders = (environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        let paths = program.contains("/") ? [program] : folders.map { "\($0)/\(program)" }
        return paths.contains { unsafe access($0, X_OK) == 0 }
    }
}
