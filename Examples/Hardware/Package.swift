// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6), .strictMemorySafety(), .treatAllWarnings(as: .error),
]

func house(_ names: String...) -> [Target.Dependency] {
    names.map { .product(name: $0, package: "countersign") }
}

// A wallet whose keys are in a hardware token; it answers requests of NEAR and Algorand.
let package = Package(
    name: "Hardware",
    dependencies: [.package(name: "countersign", path: "../..")],
    targets: [
        // The header only: the module of the token is loaded when the program runs.
        .systemLibrary(name: "CPKCS11", providers: [.apt(["libp11-kit-dev"])]),
        .target(
            name: "TokenKeys",
            dependencies: ["CPKCS11"] + house("SigningCodecs", "SigningCore", "SigningCrypto"),
            swiftSettings: strict),
        .executableTarget(
            name: "hardware",
            dependencies: ["TokenKeys"]
                + house(
                    "ARC27", "Algorand", "NEAR", "NEP413", "SigningCodecs", "SigningCore",
                    "SigningCrypto", "SigningService"),
            swiftSettings: strict),
        .testTarget(
            name: "TokenKeysTests",
            dependencies: ["CPKCS11", "TokenKeys"] + house("NEAR", "SigningCore"),
            swiftSettings: strict),
    ])
