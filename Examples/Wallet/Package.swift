// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// A wallet in a package of its own: a durable home, and each of its parts replaced.
let package = Package(
    name: "Wallet",
    dependencies: [.package(name: "countersign", path: "../..")],
    targets: [
        .executableTarget(
            name: "Wallet",
            dependencies: ["NIP155", "Nostr", "SigningErrors", "SigningService", "SigningTesting"]
                .map {
                    .product(name: $0, package: "countersign")
                })
    ])
