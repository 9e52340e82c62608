// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The project's own files, read once for all tidy tests.
struct Tree {
    struct File: CustomTestStringConvertible {
        let path: String
        let lines: [Substring]
        var text: String { lines.joined(separator: "\n") }
        /// The target folder: `Sources/X`, `Sources/Chains/X`, `Plugins/X`, `Tests/X` or
        /// `Clients/Sources/X`.
        var target: String {
            let isNested = (Tree.groups + Tree.formats + Tree.clientGroups).contains {
                path.hasPrefix($0 + "/")
            }
            return path.split(separator: "/").prefix(isNested ? 3 : 2).joined(separator: "/")
        }
        var testDescription: String { path }
        /// True for tests and what they are made of.
        var isTest: Bool { path.hasPrefix("Tests/") || path.hasPrefix("Clients/Tests/") }
        /// True for programs that show the use of a library.
        var isExample: Bool { path.hasPrefix("Examples/") || path.hasPrefix("Clients/Examples/") }
        /// True for libraries by which an app asks a signer, in a package of their own.
        var isClient: Bool { path.hasPrefix("Clients/Sources/") }
    }

    static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Folders of targets among those of Sources.
    static let groups = ["Sources/Chains", "Sources/Couriers", "Sources/Transports"]
    /// Folders of targets inside those of wires: formats that a wire shares with its clients.
    static let formats = ["Plugins/NIP155/NIP155Messages"]
    /// Folders of targets of the package of the clients.
    static let clientGroups = ["Clients/Examples", "Clients/Sources", "Clients/Tests"]

    static let swift = files(
        under: ["Sources", "Plugins", "Tests", "Examples", "Clients"], suffix: ".swift")
    /// Code of the project in other languages than Swift.
    static let scripts = [".js", ".c", ".h", ".py", ".sh"].flatMap {
        files(
            under: [
                "Sources", "Browser", "DataChannel", "QR", "Tests/Interop", "Tests/Native", "Tools",
                "Examples",
            ], suffix: $0)
    }
    static let product = swift.filter { !$0.isTest && $0.path != "Clients/Package.swift" }

    static func files(under folders: [String], suffix: String) -> [File] {
        folders.flatMap { folder -> [File] in
            let walk = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
            let names = (walk?.allObjects as? [String] ?? []).sorted()
            return names.filter { name in
                name.hasSuffix(suffix) && ![".build/", ".venv/"].contains(where: name.contains)
            }
            .compactMap { read("\(folder)/\($0)") }
        }
    }

    static func read(_ path: String) -> File? {
        guard let text = try? String(contentsOf: root.appending(path: path), encoding: .utf8) else {
            return nil
        }
        return File(
            path: path, lines: text.split(separator: "\n", omittingEmptySubsequences: false))
    }

    static func folders(in path: String) -> [String] {
        let names =
            (try? FileManager.default.contentsOfDirectory(
                atPath: root.appending(path: path).path)) ?? []
        return names.filter { name in
            var isFolder: ObjCBool = false
            let full = root.appending(path: "\(path)/\(name)").path
            return unsafe FileManager.default.fileExists(atPath: full, isDirectory: &isFolder)
                && isFolder.boolValue && !name.hasPrefix(".")
        }.sorted()
    }
}
