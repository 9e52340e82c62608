// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// A program that keeps keys and signs by itself.
let package = Package(
    name: "OneAdapter",
    dependencies: [.package(name: "countersign", path: "../..")],
    targets: [
        .executableTarget(
            name: "OneAdapter",
            dependencies: ["NIP155", "Nostr", "SigningService"].map {
                .product(name: $0, package: "countersign")
            })
    ])
