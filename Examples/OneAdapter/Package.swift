// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

// An app with a home of its own: it names one product.
let package = Package(
    name: "OneAdapter",
    dependencies: [.package(name: "countersign", path: "../..")],
    targets: [
        .executableTarget(
            name: "OneAdapter",
            dependencies: [.product(name: "SigningService", package: "countersign")])
    ])
