// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite("Layers")
struct LayerTests {
    /// Returns the project's targets that a target may import, by the table of
    /// `Docs/Architecture.md`.
    static func allowed(_ folder: String) -> Set<String>? {
        let name = folder.split(separator: "/").last.map(String.init) ?? folder
        return folder.hasPrefix("Clients/")
            ? TargetTable.documentedClients[name] : TargetTable.documented[name]
    }

    /// The system modules that a target may import, with the reason.
    static let system: [String: Set<String>] = [
        "Sources/SigningCore": ["Synchronization"],  // the lock of requests that wait
        "Sources/SigningPolicy": ["Glibc"],  // reads the policy file
        "Sources/SigningCrypto": ["Synchronization"],  // the places of small secrets
        "Sources/SigningFiles": ["Glibc", "Synchronization"],
        "Sources/SigningVault": ["Synchronization"],
        "Sources/SigningHome": ["Glibc"],
        "Sources/SigningStorage": ["Glibc", "Synchronization"],
        // Glibc: clocks, sockets and the password file. Dispatch: host name lookups, which block.
        "Sources/PostgresLog": ["Dispatch", "Glibc", "Synchronization"],
        // Threads for blocking calls and for sockets; host names.
        "Sources/SigningNetwork": ["Dispatch", "Glibc", "Synchronization"],
        // Drop boxes, new files, the thread that watches the home.
        "Sources/SigningService": ["Dispatch", "Glibc", "Synchronization"],
        "Sources/SigningErrors": ["FoundationEssentials"],  // LocalizedError
        "Sources/SigningTerminal": ["Glibc", "Synchronization"],
        "Sources/Sandbox": ["Glibc", "Synchronization"],
        "Sources/SigningAgent": ["Dispatch", "Glibc", "Synchronization"],  // signals, questions
        "Sources/SigningCLI": ["Glibc", "Synchronization"],
        "Sources/Transports/LiquidAuth": ["Dispatch", "Glibc", "Synchronization"],
        "Sources/Transports/Relays": ["Synchronization"],
        "Sources/Transports/Socket": ["Dispatch", "Glibc", "Synchronization"],
        "Sources/Transports/Web": ["Glibc", "Synchronization"],
        "Sources/SigningTesting": ["Synchronization"],
        "Sources/countersign": ["Glibc"],
    ]

    @Test("every import is one the layer may use", arguments: Tree.product)
    func imports(file: Tree.File) throws {
        guard !file.isExample else { return }
        let ours = try #require(Self.allowed(file.target), "no row in Docs/Architecture.md")
        let allowed = ours.union(Self.system[file.target] ?? [])
        for module in Self.imports(of: file) {
            #expect(allowed.contains(module), "\(file.path) may not import \(module)")
        }
    }

    @Test("the table of targets in Architecture.md is that of Package.swift")
    func table() {
        let (documented, declared) = (TargetTable.documented, TargetTable.declared)
        #expect(declared.count > 35)
        #expect(Set(documented.keys) == Set(declared.keys))
        for (target, imports) in declared {
            let missing = imports.subtracting(documented[target] ?? [])
            let extra = (documented[target] ?? []).subtracting(imports)
            #expect(missing.isEmpty && extra.isEmpty, "\(target): -\(missing) +\(extra)")
        }
    }

    @Test("the table of clients in Architecture.md is that of Clients/Package.swift")
    func clients() {
        #expect(Set(TargetTable.declaredClients.keys) == Set(Tree.folders(in: "Clients/Sources")))
        #expect(TargetTable.documentedClients == TargetTable.declaredClients)
    }

    /// The targets that clients may share with the signer: formats, models of a chain, and the
    /// ways to ask a signer.
    static let ofClients: Set = [
        "Algorand", "NEARCourier", "NIP155Messages", "SigningCodecs", "SigningCore",
    ]

    @Test("a client imports no wire, no key and no home of a signer")
    func clientsApart() {
        #expect(!TargetTable.documentedClients.isEmpty)
        for (client, imports) in TargetTable.documentedClients {
            let others = imports.subtracting(Self.ofClients)
            #expect(others.isEmpty, "\(client) imports \(others)")
        }
    }

    /// The targets that any transport may import.
    static let ofTransports: Set = [
        "Sandbox", "SigningCodecs", "SigningCore", "SigningDigests", "SigningNetwork",
    ]
    /// The further imports of one transport: the format of its own frames, or its server.
    static let ofOneTransport: [String: Set<String>] = [
        "LiquidAuth": ["LiquidCeremony"],  // the login that opens a channel
        "Relays": ["NIP46", "Nostr"],  // envelopes: encrypted events, and the calls in them
        "Web": ["Socket"],  // the HTTP server
    ]

    @Test("a transport imports nothing of an open home", arguments: transports)
    func transport(name: String) throws {
        let libraries = Tree.folders(in: "Sources/System")
        let imports = try #require(TargetTable.documented[name]).subtracting(libraries)
        let own = Self.ofOneTransport[name] ?? []
        let others = imports.subtracting(Self.ofTransports).subtracting(own)
        #expect(others.isEmpty, "\(name) imports \(others)")
        #expect(own.isSubset(of: imports), "\(name) imports less than is listed here")
    }

    private static let transports = Tree.folders(in: "Sources/Transports")

    @Test("a wire has one type of refusal at most", arguments: Tree.folders(in: "Plugins"))
    func refusals(wire: String) {
        let files = Tree.product.filter { $0.target == "Plugins/\(wire)" }
        let lines = files.flatMap { (file: Tree.File) -> [Substring] in file.lines }
        let declared = lines.filter { $0.contains("Refusal: Error") }
        #expect(!files.isEmpty && declared.count <= 1, "\(wire): \(declared)")
    }

    @Test("only the command line imports the terminal")
    func terminal() {
        let importers = TargetTable.documented.filter { $0.value.contains("SigningTerminal") }
        #expect(Set(importers.keys) == ["SigningCLI"])
    }

    /// C modules with two importers: hashing and verifying is apart from holding secrets.
    static let shared: Set = ["CSodium", "CSecp256k1", "CCrypto"]

    @Test("each C module has one importer, those of hashes and signatures two")
    func importers() {
        var importers: [String: Set<String>] = [:]
        for file in Tree.product {
            for module in Self.imports(of: file)
            where Tree.folders(in: "Sources/System").contains(module) {
                importers[module, default: []].insert(file.target)
            }
        }
        for module in Tree.folders(in: "Sources/System") {
            let isAsSaid =
                Self.shared.contains(module)
                ? importers[module] == ["Sources/SigningDigests", "Sources/SigningCrypto"]
                : importers[module]?.count == 1
            #expect(isAsSaid, "\(module): \(importers[module] ?? [])")
        }
    }

    @Test("a file with two names is one that talks to C")
    func twoNames() {
        for file in Tree.product where file.path.contains("+") {
            let modules = Self.imports(of: file)
            let talks = modules.contains { $0 == "Glibc" || Self.allC.contains($0) }
            #expect(talks, "\(file.path) has two names")
        }
    }

    private static let allC = Tree.folders(in: "Sources/System")

    @Test("the parts that decide hold no unsafe code", arguments: Tree.product)
    func unsafeCode(file: Tree.File) {
        let safe = [
            "Sources/Chains/", "Sources/SigningCore", "Sources/SigningPolicy",
            "Sources/SigningPolicyTools", "Plugins/", "Sources/SigningTesting", "Clients/",
        ]
        guard safe.contains(where: { file.path.hasPrefix($0) }) else { return }
        // The only files that may call C.
        let callingC = ["+Glibc.swift", "+CTOML.swift", "+CRE2.swift", "+CGLib.swift"]
        if callingC.contains(where: { file.path.hasSuffix($0) }) { return }
        for line in file.lines {
            let code = line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line
            #expect(!code.contains("unsafe"), "\(file.path): \(line)")
        }
    }

    static func imports(of file: Tree.File) -> [String] {
        file.lines.compactMap { line in
            let words = line.split(separator: " ")
            guard let place = words.firstIndex(of: "import"), words.count > place + 1 else {
                return nil
            }
            let access = ["public", "package", "internal", "fileprivate", "private"]
            guard words[..<place].allSatisfy({ $0.hasPrefix("@") || access.contains(String($0)) })
            else { return nil }
            return String(words[place + 1])
        }
    }
}
