// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

func house(_ names: String...) -> [Target.Dependency] {
    names.map { .product(name: $0, package: "countersign") }
}

// A custom protocol, and a command line that supports it besides all other protocols.
let package = Package(
    name: "OwnProtocol",
    dependencies: [.package(name: "countersign", path: "../..")],
    targets: [
        // The curve and the hash of door keys; the core of Countersign knows neither.
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .target(
            name: "DoorPass",
            dependencies: ["COpenSSL"]
                + house("SigningCore", "SigningCodecs", "SigningCrypto", "SigningService")),
        .executableTarget(name: "doors", dependencies: ["DoorPass"] + house("SigningCLI")),
        .testTarget(
            name: "DoorPassTests",
            dependencies: ["DoorPass"]
                + house(
                    "SigningCore", "SigningCodecs", "SigningCrypto", "SigningService",
                    "SigningTesting")),
    ])
