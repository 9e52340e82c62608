// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// An app with a home of its own, and what is spoken in it.
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
