// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The compiler must refuse code outside `SigningCore` that makes or reuses a permit.
@Suite("Permits cannot be made or spent twice")
struct PermitTests {
    @Test("a file that only uses public names compiles, so the refusals below mean something")
    func control() throws {
        let errors = try compile(
            """
            import SigningCore
            func use(_ permit: consuming SigningPermit, _ store: any KeyStore) {
                _ = try? store.perform(permit)
            }
            """)
        #expect(errors.isEmpty, "\(errors)")
    }

    @Test("minting a permit does not compile")
    func minting() throws {
        let errors = try compile(
            """
            import SigningCore
            let permit = SigningPermit(for: [], judgedBy: [])
            """)
        #expect(errors.contains("'SigningPermit' initializer is inaccessible"), "\(errors)")
    }

    @Test("spending a permit twice does not compile")
    func spendingTwice() throws {
        let errors = try compile(
            """
            import SigningCore
            func use(_ permit: consuming SigningPermit, _ store: any KeyStore) {
                _ = try? store.perform(permit)
                _ = try? store.perform(permit)
            }
            """)
        #expect(errors.contains("'permit' consumed more than once"), "\(errors)")
    }

    @Test("keeping a permit in an array does not compile")
    func keeping() throws {
        let errors = try compile(
            """
            import SigningCore
            func keep(_ permit: consuming SigningPermit) -> [SigningPermit] { [permit] }
            """)
        #expect(errors.contains("does not conform to protocol 'Copyable'"), "\(errors)")
    }

    /// Compiles a file against the modules of this test; returns the errors.
    private func compile(_ source: String) throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "Snippet.swift")
        try Data(source.utf8).write(to: file)
        let modules = URL(filePath: CommandLine.arguments[0])
            .deletingLastPathComponent().appending(path: "Modules")
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "swiftc", "-emit-object", "-swift-version", "6", "-I", modules.path, "-o",
            folder.appending(path: "Snippet.o").path, file.path,
        ]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let printed = String(
            decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return process.terminationStatus == 0 ? "" : printed
    }
}
