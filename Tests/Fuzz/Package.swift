// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

/// One harness per decoder; `make fuzz` builds them with `--sanitize=fuzzer`.
let harnesses = [
    "JSON", "CBOR", "MessagePack", "Text", "Gzip", "NIP155", "NIP55", "NIP07", "NEP413", "NEAR",
    "ARC27", "ARC27Client", "ARC60", "Policy", "Keys", "Client", "Agent", "Browser", "Owner",
    "Relays", "Liquid", "Record",
]

let clients: [Target.Dependency] = ["ARC27Client", "NIP155Client"].map {
    .product(name: $0, package: "Clients")
}

let parts: [Target.Dependency] =
    [
        "SigningCodecs", "SigningCore", "SigningCrypto", "SigningPolicy", "AllAdapters", "NIP155",
        "NIP155Messages",
        "NEAR", "NEP413", "ARC27", "SigningCLI",
    ].map { .product(name: $0, package: "countersign") } + clients

let package = Package(
    name: "Fuzz",
    dependencies: [
        .package(name: "countersign", path: "../.."),
        .package(name: "Clients", path: "../../Clients"),
    ],
    targets: [
        .target(
            name: "AdapterFuzzing", dependencies: parts,
            swiftSettings: [
                .swiftLanguageMode(.v6), .enableUpcomingFeature("InternalImportsByDefault"),
            ])
    ]
        + harnesses.map { name in
            .executableTarget(
                name: "Fuzz\(name)", dependencies: parts + ["AdapterFuzzing"],
                path: "Sources/\(name)",
                swiftSettings: [.swiftLanguageMode(.v6), .unsafeFlags(["-parse-as-library"])])
        })
