// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

/// Every target is built with these, tests included, as in the package of the signer.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// Libraries of the signer's package.
func shared(_ names: [String]) -> [Target.Dependency] {
    names.map { .product(name: $0, package: "countersign") }
}

/// A library by which an app asks a signer, with what it shares with the signer.
func client(_ name: String, _ imports: [String]) -> Target {
    .target(name: name, dependencies: shared(imports), swiftSettings: strict)
}

/// A program that asks a signer and checks the answers.
func example(_ name: String, of client: String, _ imports: [String]) -> Target {
    .executableTarget(
        name: name, dependencies: [.target(name: client), "ExampleSigner"] + shared(imports),
        path: "Examples/\(name)", swiftSettings: strict)
}

func tests(of client: String, _ imports: [String]) -> Target {
    .testTarget(
        name: "\(client)Tests", dependencies: [.target(name: client)] + shared(imports),
        swiftSettings: strict)
}

let clients: [Target] = [
    client("ARC27Client", ["Algorand", "SigningCodecs", "SigningCore"]),
    client("NIP155Client", ["NIP155Messages", "SigningCodecs"]),
    client("NEARWallet", ["NEARCourier", "SigningCodecs", "SigningCore"]),
]

let examples: [Target] = [
    .target(
        name: "ExampleSigner", dependencies: shared(["SigningService"]),
        path: "Examples/ExampleSigner", swiftSettings: strict),
    example("ask-arc27", of: "ARC27Client", ["ARC27", "Algorand", "SigningService"]),
    example(
        "ask-nip155", of: "NIP155Client",
        ["NIP155", "NIP155Messages", "Nostr", "SigningCodecs", "SigningService"]),
    example("ask-near", of: "NEARWallet", ["NEAR", "NEARCourier", "NEP413"]),
]

let suites: [Target] = [
    tests(
        of: "ARC27Client",
        [
            "ARC27", "ARC27Rig", "Algorand", "AlgorandSamples", "SigningCodecs", "SigningCore",
            "SigningCrypto", "SigningDigests", "VectorFiles",
        ]),
    tests(
        of: "NIP155Client",
        [
            "NIP155", "NIP155Messages", "NIP155Rig", "Nostr", "NostrSamples", "SigningCodecs",
            "SigningCore", "SigningCrypto", "SigningTesting", "VectorFiles",
        ]),
    tests(
        of: "NEARWallet",
        [
            "FakeNEAR", "NEAR", "NEARCourier", "NEARVerifier", "NEP413", "SigningCodecs",
            "SigningCore", "SigningCrypto", "SigningService", "SigningTesting", "TestHome",
        ]),
]

let package = Package(
    name: "Clients",
    products: clients.map { .library(name: $0.name, targets: [$0.name]) },
    dependencies: [.package(name: "countersign", path: "..")],
    targets: clients + examples + suites)
