// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite("Layers")
struct LayerTests {
    /// The project's targets that each target may import; `Docs/Architecture.md` draws them.
    static let allowed: [String: Set<String>] = [
        "Sources/SigningCore": [],
        "Sources/SigningCodecs": ["CCBOR", "CIDN2", "CPSL", "CZlib"],
        "Sources/SigningDigests": ["CSodium", "CSecp256k1", "CCrypto"],
        "Sources/SigningCrypto": [
            "SigningCodecs", "SigningDigests", "CSodium", "CSecp256k1", "CCrypto", "CUnistring",
        ],
        "Sources/SigningPolicy": ["SigningCore", "SigningCodecs", "CGLib", "CRE2", "CTOML"],
        "Sources/SigningPolicyTools": ["SigningPolicy", "SigningCore", "SigningCodecs"],
        "Sources/SigningStorage": ["SigningCore", "SigningCodecs", "SigningCrypto", "CSQLite"],
        "Sources/PostgresLog": ["SigningCore", "SigningCodecs", "SigningStorage", "CPQ"],
        "Sources/SigningNetwork": ["SigningCodecs", "CCurl", "CWebSockets"],
        "Sources/SigningTesting": ["SigningCore", "SigningCodecs", "SigningCrypto"],
        "Sources/SigningService": [
            "Algorand", "AllAdapters", "ARC27", "NIP155", "NIP46", "Nostr", "PolicyPresets",
            "PostgresLog", "SigningCore", "SigningCodecs", "SigningCrypto", "SigningPolicy",
            "SigningStorage",
        ],
        "Sources/SigningTerminal": [
            "SigningCore", "SigningCodecs", "SigningCrypto", "SigningPolicy", "SigningService",
        ],
        "Sources/Sandbox": ["CSandbox", "SigningDigests"],
        "Sources/SigningCLI": [
            "Algorand", "AlgorandCourier", "AllAdapters", "ARC27", "BrowserExtension", "CLinux",
            "CQREncode", "LiquidAuth", "NEAR", "PostgresLog",
            "NEARCourier", "NEARWallet", "NEP413", "NIP155", "NIP46", "Nostr", "PolicyPresets",
            "Relays",
            "SigningCore", "SigningCodecs", "SigningCrypto", "SigningDigests", "SigningNetwork",
            "SigningPolicy", "SigningPolicyTools", "SigningService", "SigningStorage",
            "Sandbox", "SigningAgent", "SigningTerminal", "Socket", "Web",
        ],
        "Sources/SigningAgent": [
            "CSystemd", "LiquidAuth", "Sandbox", "SigningCore", "SigningCodecs", "SigningCrypto",
            "SigningDigests",
            "SigningPolicy",
            "SigningPolicyTools", "SigningService", "SigningStorage", "SigningTerminal", "Socket",
            "Web",
        ],
        "Sources/countersign": ["SigningCLI"],
        "Sources/Couriers/NEARCourier": [
            "SigningCore", "SigningCodecs", "SigningNetwork", "NEAR",
        ],
        "Sources/Couriers/AlgorandCourier": [
            "SigningCore", "SigningCodecs", "SigningNetwork", "Algorand",
        ],
        "Sources/Transports/NEARWallet": [
            "SigningCore", "SigningCodecs", "NEAR", "NEARCourier", "NEP413",
        ],
        "Sources/Transports/Relays": [
            "NIP46", "Nostr", "SigningCore", "SigningCodecs", "SigningDigests", "SigningNetwork",
            "SigningService", "SigningStorage",
        ],
        "Sources/Transports/LiquidAuth": [
            "LiquidCeremony", "Sandbox", "SigningCore", "SigningCodecs", "SigningDigests",
            "SigningNetwork",
        ],
        "Sources/Transports/Socket": [
            "CMicrohttpd", "Sandbox", "SigningCore", "SigningCodecs", "SigningDigests",
        ],
        "Sources/Transports/Web": [
            "Socket", "SigningCore", "SigningCodecs", "SigningDigests",
        ],
        "Plugins/AllAdapters": Set(chains + Tree.folders(in: "Plugins")).union([
            "SigningCore", "SigningCodecs", "SigningCrypto",
        ]),
    ]
    static let chains = Tree.folders(in: "Sources/Chains")
    /// The targets that a chain may import; a wire imports its chain as well.
    ///
    /// A chain holds no wire and does no I/O.
    static let ofChains: Set = ["SigningCore", "SigningCodecs", "SigningDigests"]
    /// The system modules that a target may import, with the reason.
    static let system: [String: Set<String>] = [
        "Sources/SigningCore": ["Synchronization"],  // the lock of requests that wait
        "Sources/SigningPolicy": ["Glibc"],  // reads the policy file
        "Sources/SigningCrypto": ["Synchronization"],  // the places of small secrets
        "Sources/SigningStorage": ["Glibc", "Synchronization"],
        // Clocks, sockets and the password file; names of hosts, which block.
        "Sources/PostgresLog": ["Dispatch", "Glibc", "Synchronization"],
        // Threads for blocking calls and for sockets; host names.
        "Sources/SigningNetwork": ["Dispatch", "Glibc", "Synchronization"],
        "Sources/SigningService": ["Glibc", "Synchronization"],  // drop boxes, new files
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
        guard !file.path.hasPrefix("Examples/") else { return }
        let isWire = file.target.hasPrefix("Plugins/") && Self.allowed[file.target] == nil
        let isChain = file.target.hasPrefix("Sources/Chains/")
        let ours = try #require(
            isWire
                ? Self.ofChains.union(Self.chain(of: file.target))
                : isChain ? Self.ofChains : Self.allowed[file.target], "a target without a layer")
        let allowed = ours.union(Self.system[file.target] ?? [])
        for module in Self.imports(of: file) {
            #expect(allowed.contains(module), "\(file.path) may not import \(module)")
        }
    }

    /// The one chain that a wire imports; empty for wires of all chains.
    private static func chain(of wire: String) -> Set<String> {
        let imported = Tree.product.filter { $0.target == wire }.flatMap(imports)
        let found = Set(imported).intersection(chains)
        return found.count == 1 ? found : []
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
            "Sources/SigningPolicyTools", "Plugins/", "Sources/SigningTesting",
        ]
        guard safe.contains(where: { file.path.hasPrefix($0) }) else { return }
        // The only files that call C.
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
