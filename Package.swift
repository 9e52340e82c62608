// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

/// Every Swift target is built with these, tests included.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// The wires this product speaks, each a folder in Plugins/, with the chain that its keys belong
/// to, a folder in Sources/Chains/; all have tests of their own.
let wires = [
    (name: "NIP155", chain: "Nostr"),
    (name: "NIP55", chain: "Nostr"),
    (name: "NIP46", chain: "Nostr"),
    (name: "NIP07", chain: "Nostr"),
    (name: "NEP413", chain: "NEAR"),
    (name: "ARC27", chain: "Algorand"),
    (name: "LiquidCeremony", chain: "Algorand"),
]
let chains = Set(wires.map(\.chain)).sorted()

/// A chain, with what the tests of it and of its wires share.
func withSamples(_ chain: String) -> [Target.Dependency] {
    [.target(name: chain), .target(name: "\(chain)Samples"), "VectorFiles"]
}

/// A C library from Debian with its one importer named in Docs/Architecture.md.
func system(_ name: String, _ pkgConfig: String, apt: String) -> Target {
    .systemLibrary(
        name: name, path: "Sources/System/\(name)", pkgConfig: pkgConfig,
        providers: [.apt([apt])])
}

func module(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// What a key belongs to and what its signatures mean; several wires share one.
func chain(_ name: String) -> Target {
    .target(
        name: name, dependencies: ["SigningCore", "SigningCodecs", "SigningDigests"],
        path: "Sources/Chains/\(name)",
        swiftSettings: strict)
}

/// Looks up before a request is decoded and sends after it is answered, for one chain.
func courier(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Sources/Couriers/\(name)",
        swiftSettings: strict)
}

/// The formats of a wire that its clients share, each in a folder of its own inside the wire's.
let messages = ["NIP155": "NIP155Messages"]

func plugin(_ name: String, _ dependencies: [Target.Dependency], readme: Bool = true) -> Target {
    let shared = [messages[name]].compactMap(\.self)
    return .target(
        name: name, dependencies: dependencies + shared.map { .target(name: $0) },
        path: "Plugins/\(name)", exclude: (readme ? ["README.md"] : []) + shared,
        swiftSettings: strict)
}

func tests(
    _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []
) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, exclude: exclude, swiftSettings: strict)
}

/// A target in Tests/Tools, which only tests use.
func tool(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Tests/Tools/\(name)", swiftSettings: strict)
}

let libraries: [Target] = [
    system("CSodium", "libsodium", apt: "libsodium-dev"),
    system("CSecp256k1", "libsecp256k1", apt: "libsecp256k1-dev"),
    system("CCrypto", "libcrypto", apt: "libssl-dev"),
    system("CCBOR", "libcbor", apt: "libcbor-dev"),
    system("CZlib", "zlib", apt: "zlib1g-dev"),
    system("CSQLite", "sqlite3", apt: "libsqlite3-dev"),
    system("CQREncode", "libqrencode", apt: "libqrencode-dev"),
    system("CIDN2", "libidn2", apt: "libidn2-dev"),
    system("CPSL", "libpsl", apt: "libpsl-dev"),
    system("CMicrohttpd", "libmicrohttpd", apt: "libmicrohttpd-dev"),
    system("CGLib", "glib-2.0", apt: "libglib2.0-dev"),
    // toml++ and RE2 are C++: shims of our own, not system modules.
    .target(name: "CTOML", path: "Sources/System/CTOML"),
    // The C library's own calls that Swift cannot import.
    .systemLibrary(name: "CLinux", path: "Sources/System/CLinux"),
    // libsystemd is loaded when a bus is asked for.
    .target(name: "CSystemd", path: "Sources/System/CSystemd"),
    // Landlock, seccomp, and the helper that stays outside of both.
    .target(name: "CSandbox", path: "Sources/System/CSandbox"),
    // libunistring's headers cannot stand beside other modules.
    .target(
        name: "CUnistring", path: "Sources/System/CUnistring",
        linkerSettings: [.linkedLibrary("unistring")]),
    // libcurl and libwebsockets are loaded when the first connection is opened.
    .target(name: "CCurl", path: "Sources/System/CCurl"),
    .target(name: "CWebSockets", path: "Sources/System/CWebSockets"),
    // libpq is loaded when a shared log is in use.
    .target(name: "CPQ", path: "Sources/System/CPQ"),
    .target(
        name: "CRE2", path: "Sources/System/CRE2", linkerSettings: [.linkedLibrary("re2")]),
]

/// What a browser is given.
let webPages = [
    "inbox.html", "inbox.css", "inbox.js", "question.js", "record.js", "pictures.js", "dom.js",
    "api.js", "box.js", "icon.js", "visible.js",
]
let nearPages = [
    "window.html", "window.css", "window.js", "asking.js", "executor.js", "wallet.html",
    "wallet.js",
    "link.js", "bridge.html", "bridge.js",
]

let modules: [Target] = [
    module("SigningCore", []),
    module("SigningCodecs", ["CCBOR", "CIDN2", "CPSL", "CZlib"]),
    module("SigningDigests", ["SigningCore", "CSodium", "CSecp256k1", "CCrypto"]),
    module(
        "SigningCrypto",
        [
            "SigningCore", "SigningDigests", "SigningCodecs", "CSodium", "CSecp256k1", "CCrypto",
            "CUnistring",
        ]),
    module("SigningPolicy", ["SigningCore", "SigningCodecs", "CGLib", "CRE2", "CTOML"]),
    module("SigningPolicyTools", ["SigningPolicy", "SigningCore", "SigningCodecs"]),
    module("PolicyProof", ["SigningPolicy", "SigningCore"]),
    module("SigningFiles", ["SigningCore", "SigningCodecs", "SigningCrypto", "CSQLite"]),
    module("SigningVault", ["SigningCore", "SigningCodecs", "SigningCrypto", "SigningFiles"]),
    module(
        "SigningStorage",
        ["SigningCore", "SigningCodecs", "SigningCrypto", "SigningFiles", "SigningVault"]),
    module(
        "SigningHome",
        ["SigningCore", "SigningCrypto", "SigningFiles", "SigningStorage", "SigningVault"]),
    module(
        "PostgresLog",
        ["SigningCore", "SigningCodecs", "SigningFiles", "SigningStorage", "CPQ"]),
    module("SigningNetwork", ["SigningCodecs", "CCurl", "CWebSockets"]),
    courier(
        "NEARCourier", ["NEAR", "SigningCodecs", "SigningCore", "SigningNetwork"]),
    courier(
        "AlgorandCourier", ["Algorand", "SigningCodecs", "SigningCore", "SigningNetwork"]),
    module(
        "NEARVerifier", ["NEAR", "NEARCourier", "NEP413", "SigningCodecs", "SigningCore"]),
    module("Sandbox", ["CSandbox", "SigningDigests"]),
    .target(
        name: "Relays",
        dependencies: [
            "NIP46", "Nostr", "SigningCodecs", "SigningCore", "SigningDigests", "SigningNetwork",
        ],
        path: "Sources/Transports/Relays", swiftSettings: strict),
    .target(
        name: "LiquidAuth",
        dependencies: [
            "LiquidCeremony", "Sandbox", "SigningCodecs", "SigningCore", "SigningDigests",
            "SigningNetwork",
        ],
        path: "Sources/Transports/LiquidAuth", swiftSettings: strict),
    .target(
        name: "Socket",
        dependencies: ["Sandbox", "SigningCore", "SigningCodecs", "SigningDigests", "CMicrohttpd"],
        path: "Sources/Transports/Socket", swiftSettings: strict),
    .target(
        name: "Web",
        dependencies: ["Socket", "SigningCore", "SigningCodecs", "SigningDigests"],
        path: "Sources/Transports/Web",
        resources: webPages.map { .embedInCode("Page/\($0)") }
            + nearPages.map { .embedInCode("NEAR/Page/\($0)") },
        swiftSettings: strict),
    module("SigningWires", ["SigningCore", "SigningCodecs"]),
    module(
        "SigningService",
        [
            "NIP46", "Nostr", "SigningCore", "SigningCodecs", "SigningCrypto", "SigningPolicy",
            "SigningFiles", "SigningHome", "SigningStorage", "SigningVault", "SigningWires",
        ]),
    module(
        "BuiltInProtocols",
        [
            "Algorand", "AllAdapters", "ARC27", "NEAR", "NIP155", "NIP155Messages", "Nostr",
            "SigningCodecs", "SigningCore", "SigningCrypto", "SigningDigests", "SigningService",
            "SigningVault", "SigningWires",
        ]),
    module(
        "SigningErrors",
        [
            "SigningCodecs", "SigningCore", "SigningCrypto", "SigningPolicy", "SigningService",
            "SigningWires",
        ]),
    module(
        "SigningTerminal",
        ["SigningCore", "SigningCodecs", "SigningCrypto", "SigningService"]),
    module(
        "SigningAgent",
        [
            "BuiltInProtocols", "CSystemd", "LiquidAuth", "Sandbox", "SigningCore",
            "SigningCodecs", "SigningCrypto", "SigningDigests", "SigningPolicy",
            "SigningPolicyTools", "SigningService", "SigningFiles", "SigningHome",
            "SigningStorage", "SigningVault", "Socket", "Web",
        ]),
    module("SigningTesting", ["SigningCore", "SigningCodecs", "SigningCrypto"]),
    module(
        "SigningCLI",
        [
            "Algorand", "AlgorandCourier", "AllAdapters", "ARC27", "BrowserExtension",
            "BuiltInProtocols", "NEAR",
            "LiquidAuth", "PostgresLog",
            "NEARCourier", "NEARVerifier", "NEP413", "NIP155", "NIP155Messages", "NIP46", "Nostr",
            "PolicyPresets", "PolicyProof",
            "Relays",
            "SigningCore",
            "SigningCodecs", "SigningCrypto",
            "SigningPolicy",
            "Sandbox", "SigningAgent", "SigningDigests", "SigningNetwork", "SigningPolicyTools",
            "SigningService",
            "SigningFiles", "SigningHome", "SigningStorage", "SigningVault", "SigningTerminal",
            "SigningWires", "Socket", "Web", "CLinux",
            "CQREncode",
        ]),
    .target(
        name: "PolicyPresets", path: "Policies", exclude: ["Cookbook"],
        resources: ["ask-everything", "social-basics", "login-only"].map {
            .embedInCode("\($0).toml")
        }, swiftSettings: strict),
    .target(
        name: "BrowserExtension", path: "Browser",
        resources: [
            "manifest.json", "provider.js", "bridge.js", "worker.js", "options.html",
            "options.css", "options.js", "icon16.png", "icon32.png", "icon48.png", "icon128.png",
        ].map { .embedInCode($0) }, swiftSettings: strict),
    .executableTarget(
        name: "countersign", dependencies: ["SigningCLI"], swiftSettings: strict),
]

/// A wire imports the core, the codecs and its chain.
let plugins: [Target] =
    wires.map { wire in
        plugin(
            wire.name,
            [.target(name: wire.chain), "SigningCore", "SigningCodecs", "SigningDigests"])
    } + [
        // It serves keys of every chain, which are told to it.
        plugin("Connect", ["SigningCore", "SigningCodecs"]),
        .target(
            name: "NIP155Messages", dependencies: ["Nostr", "SigningCore", "SigningCodecs"],
            path: "Plugins/NIP155/NIP155Messages", swiftSettings: strict),
        plugin("Template", ["SigningCore", "SigningCodecs", "SigningDigests"]),
        plugin(
            "AllAdapters",
            (wires.map(\.name) + chains).map { .target(name: $0) }
                + [
                    "Connect", "NIP155Messages", "SigningCodecs", "SigningCore", "SigningCrypto",
                    "SigningWires",
                ],
            readme: false),
    ]

/// Tools in Tests/Tools that play the hub for one wire.
let rigs: [String: [Target.Dependency]] = [
    "ARC27": ["ARC27Rig"], "NIP155": ["NIP155Messages", "NIP155Rig"],
]

let suites: [Target] =
    wires.map { wire in
        tests(
            "\(wire.name)Tests",
            [
                .target(name: wire.name), "SigningCore", "SigningCodecs", "SigningCrypto",
                "SigningFiles", "SigningStorage", "SigningVault", "SigningTesting", "TestHome",
            ] + withSamples(wire.chain) + (rigs[wire.name] ?? []))
    }
    + chains.map {
        tests(
            "\($0)Tests",
            ["SigningCore", "SigningCodecs", "SigningDigests", "SigningCrypto"] + withSamples($0))
    } + [
        tests(
            "TemplateTests",
            ["Template", "SigningCore", "SigningCodecs", "SigningCrypto", "SigningTesting"]),
        tests(
            "ConnectTests",
            [
                "AllAdapters", "Connect", "SigningCore", "SigningCodecs", "SigningCrypto",
                "SigningStorage", "SigningVault", "SigningTesting", "TestHome",
                "VectorFiles",
            ]),
        tool("VectorFiles", ["SigningCodecs"]),
        tool(
            "NIP155Rig",
            [
                "NIP155", "Nostr", "NostrSamples", "SigningCodecs", "SigningCore",
                "SigningTesting", "VectorFiles",
            ]),
        tool(
            "ARC27Rig",
            [
                "ARC27", "Algorand", "AlgorandSamples", "SigningCodecs", "SigningCore",
                "SigningCrypto", "SigningTesting", "VectorFiles",
            ]),
        tool(
            "AlgorandSamples",
            [
                "Algorand", "SigningCore", "SigningCodecs", "SigningCrypto", "SigningDigests",
                "VectorFiles",
            ]),
        tool(
            "NEARSamples",
            ["NEAR", "SigningCore", "SigningCodecs", "SigningDigests", "VectorFiles"]),
        tool(
            "NostrSamples",
            ["SigningCore", "SigningCodecs", "SigningCrypto", "SigningDigests", "VectorFiles"]),
        tests("SigningCoreTests", ["SigningCore", "SigningTesting"]),
        tests("SigningCodecsTests", ["SigningCodecs"]),
        tests("SigningDigestsTests", ["SigningDigests", "SigningCodecs", "SigningCore"]),
        tests("SigningCryptoTests", ["SigningCrypto", "SigningCodecs", "SigningCore"]),
        tool(
            "TestHome",
            [
                "SigningCore", "SigningCrypto", "SigningFiles", "SigningStorage", "SigningVault",
                "SigningTesting",
            ]),
        tool("LedgerConformance", ["SigningCore"]),
        tool("PolicyReference", ["SigningPolicy", "SigningCore"]),
        .executableTarget(
            name: "policy-agreement",
            dependencies: ["PolicyReference", "ProofAgreement", "SigningPolicy", "SigningCore"],
            path: "Tests/Tools/PolicyAgreement", swiftSettings: strict),
        tests(
            "SigningPolicyTests",
            [
                "PolicyReference", "SigningPolicy", "SigningPolicyTools", "SigningCore",
                "SigningCodecs",
            ]),
        tests(
            "SigningPolicyToolsTests",
            [
                "PolicyReference", "SigningPolicyTools", "SigningPolicy", "SigningCore",
                "SigningCodecs", "SigningTesting",
            ]),
        tests(
            "PolicyProofTests",
            ["PolicyProof", "PolicyReference", "ProofAgreement", "SigningPolicy", "SigningCore"]),
        tool("ProofAgreement", ["PolicyProof", "PolicyReference", "SigningPolicy", "SigningCore"]),
        tests("SigningFilesTests", ["SigningFiles", "SigningCore", "TestHome"]),
        tests(
            "SigningVaultTests",
            [
                "SigningFiles", "SigningVault", "SigningCore", "SigningCodecs", "SigningCrypto",
                "SigningTesting", "TestHome",
            ]),
        tests(
            "SigningStorageTests",
            [
                "SigningFiles", "SigningHome", "SigningStorage", "SigningVault", "SigningCore",
                "SigningCodecs", "SigningCrypto", "PostgresLog",
                "LedgerConformance", "LedgerCrashProbe", "SigningTesting", "TestHome",
                "VectorFiles",
            ]),
        tests(
            "SigningHomeTests",
            [
                "SigningCore", "SigningCrypto", "SigningFiles", "SigningHome", "SigningStorage",
                "SigningVault", "SigningTesting", "TestHome",
            ]),
        tests(
            "PostgresLogTests",
            ["PostgresLog", "SigningCore", "SigningStorage"]),
        .executableTarget(
            name: "shared-log-probe",
            dependencies: [
                "PostgresLog", "SigningCodecs", "SigningCore", "SigningStorage",
            ],
            path: "Tests/Tools/SharedLogProbe", swiftSettings: strict),
        .executableTarget(
            name: "sandbox-probe", dependencies: ["CSandbox"], path: "Tests/Tools/SandboxProbe"),
        tests("SandboxTests", ["Sandbox"]),
        tool("LoopbackServer", []),
        tests("SigningNetworkTests", ["LoopbackServer", "SigningNetwork", "SigningCodecs"]),
        tool(
            "FakeNEAR",
            [
                "AllAdapters", "LoopbackServer", "NEAR", "NEARCourier", "NEARVerifier", "NEP413",
                "SigningCore", "SigningCodecs", "SigningCrypto", "SigningNetwork",
                "SigningFiles", "SigningStorage", "SigningVault", "SigningTesting", "TestHome",
            ]),
        tests(
            "NEARCourierTests",
            [
                "FakeNEAR", "LoopbackServer", "NEAR", "NEARCourier", "NEP413", "SigningCore",
                "SigningCodecs", "SigningCrypto", "SigningNetwork", "SigningFiles",
                "SigningStorage", "SigningTesting", "VectorFiles",
            ]),
        tests(
            "NEARVerifierTests",
            [
                "FakeNEAR", "NEARVerifier", "SigningCore", "SigningCodecs", "VectorFiles",
            ]),
        tests(
            "AlgorandCourierTests",
            [
                "Algorand", "AlgorandCourier", "AllAdapters", "ARC27", "LoopbackServer",
                "SigningCore",
                "SigningCodecs", "SigningCrypto", "SigningNetwork", "SigningPolicy",
                "SigningService",
                "SigningStorage", "SigningVault", "SigningTesting", "TestHome",
                "VectorFiles",
            ]),
        tests(
            "AllAdaptersTests",
            [
                "Algorand", "AlgorandSamples", "ARC27", "AllAdapters", "PolicyReference",
                "SigningCore", "SigningCodecs", "SigningCrypto",
                "SigningPolicy", "SigningPolicyTools", "SigningFiles", "SigningStorage",
                "SigningVault", "SigningTesting", "TestHome", "VectorFiles",
            ]),
        tests(
            "SigningWiresTests", ["NEP413", "NIP155", "NIP55", "SigningCore", "SigningWires"]),
        tests(
            "SigningErrorsTests",
            [
                "SigningCodecs", "SigningCore", "SigningCrypto", "SigningErrors", "SigningPolicy",
                "SigningService", "SigningWires",
            ]),
        tests(
            "BuiltInProtocolsTests",
            [
                "Algorand", "BuiltInProtocols", "NEAR", "Nostr", "SigningCodecs", "SigningCore",
                "SigningCrypto", "SigningPolicyTools", "SigningService", "SigningVault", "TestHome",
            ]),
        tests(
            "SigningServiceTests",
            [
                "Algorand", "AlgorandCourier", "BuiltInProtocols", "NEAR", "NIP155", "NIP46",
                "Nostr", "SigningService", "SigningCodecs", "SigningCore", "SigningCrypto",
                "SigningNetwork", "SigningPolicy", "SigningFiles", "SigningStorage", "SigningVault",
                "SigningTesting", "Template",
                "TestHome",
            ]),
        tests(
            "RelaysTests",
            [
                "BuiltInProtocols", "LoopbackServer", "Relays", "NIP46", "Nostr", "NostrSamples",
                "SigningCodecs", "SigningCore",
                "SigningCrypto", "SigningNetwork", "SigningService", "SigningFiles",
                "SigningStorage", "SigningVault",
                "SigningTesting", "TestHome",
            ]),
        tests(
            "LiquidAuthTests",
            [
                "LiquidAuth", "LoopbackServer", "SigningCodecs", "SigningCore", "SigningTesting",
                "TestHome",
                "VectorFiles",
            ]),
        tests(
            "SocketTests",
            ["Socket", "SigningCore", "SigningCodecs", "SigningTesting", "TestHome"]),
        tests(
            "WebTests", ["Web", "Socket", "SigningCodecs", "SigningCore", "SigningTesting"]),
        tests(
            "SigningAgentTests",
            [
                "BuiltInProtocols", "LiquidAuth", "Nostr", "SigningAgent", "Socket",
                "SigningCodecs",
                "SigningCore", "SigningCrypto", "SigningDigests", "SigningService",
                "SigningFiles", "SigningHome", "SigningStorage", "SigningVault", "SigningTesting",
                "TestHome", "Web",
            ]),
        tests(
            "SigningTerminalTests",
            [
                "SigningTerminal", "SigningCore", "SigningCodecs", "SigningService",
                "SigningTesting",
            ]),
        tests(
            "SigningCLITests",
            [
                "BuiltInProtocols", "SigningCLI", "SigningService", "Algorand", "ARC27", "NEAR",
                "Nostr", "SigningCore",
                "SigningCodecs",
                "SigningCrypto", "SigningStorage", "SigningVault", "TestHome",
                "VectorFiles",
            ]),
        tests(
            "PolicyPresetsTests",
            [
                "PolicyPresets", "AllAdapters", "SigningPolicy", "SigningPolicyTools",
                "SigningCodecs", "SigningCore", "SigningCrypto",
            ]),
        tests("CommandTests", [], exclude: ["Transcripts"]),
        tests("TidyTests", []),
        .executableTarget(
            name: "LedgerCrashProbe",
            dependencies: [
                "SigningFiles", "SigningHome", "SigningStorage", "SigningVault", "SigningPolicy",
                "SigningCrypto", "SigningCore",
            ],
            path: "Tests/Tools/LedgerCrashProbe", swiftSettings: strict),
        .executableTarget(
            name: "signing-bench",
            dependencies: [
                "AllAdapters", "BuiltInProtocols", "SigningCore", "SigningCodecs", "SigningCrypto",
                "SigningPolicy", "PolicyReference", "SigningFiles", "SigningStorage",
                "SigningVault", "SigningTesting", "TestHome",
                "CSecp256k1",
                "CSodium", "CSQLite", "NIP46", "Nostr", "PostgresLog", "SigningService",
            ],
            path: "Tests/Tools/Benchmarks", swiftSettings: strict),
    ]

/// Tools that the tests of Clients/ share with the tests here; not for apps.
let sharedTools = [
    "ARC27Rig", "AlgorandSamples", "FakeNEAR", "NIP155Rig", "NostrSamples", "TestHome",
    "VectorFiles",
]

let products: [Product] =
    [
        "SigningCore", "SigningCodecs", "SigningDigests", "SigningCrypto", "SigningPolicy",
        "SigningPolicyTools", "SigningWires", "SigningService", "SigningErrors",
        "SigningTesting", "SigningTerminal", "SigningCLI", "AllAdapters", "BuiltInProtocols",
        "NEARCourier", "AlgorandCourier", "NEARVerifier", "LiquidAuth", "NIP155Messages",
    ].map { .library(name: $0, targets: [$0]) }
    + (chains + wires.map(\.name)).map { .library(name: $0, targets: [$0]) }
    + sharedTools.map { .library(name: $0, targets: [$0]) }
    + [.executable(name: "countersign", targets: ["countersign"])]

let package = Package(
    name: "countersign", products: products,
    targets: libraries + modules + chains.map(chain) + plugins + suites,
    cxxLanguageStandard: .cxx17)
