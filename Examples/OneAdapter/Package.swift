// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// An app that speaks one protocol: it names three products and gets nothing else.
let package = Package(
    name: "OneAdapter",
    dependencies: [.package(name: "countersign", path: "../..")],
    targets: [
        .executableTarget(
            name: "OneAdapter",
            dependencies: ["SigningCore", "SigningStorage", "NIP155"].map {
                .product(name: $0, package: "countersign")
            })
    ])
