// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs
internal import SigningDigests

/// The complete manifest of the wallet for near-connect, which needs no hosting.
package enum NEARManifest {
    /// Returns the manifest for an agent with pages at `origin`, such as
    /// `http://NAME.localhost:7155`.
    package static func json(origin: String) -> JSON {
        let script = String(decoding: PackageResources.executor_js, as: UTF8.self)
            .split(separator: "COUNTERSIGN_ORIGIN", omittingEmptySubsequences: false)
            .joined(separator: origin)
        // near-connect caches a script by id and version, so a changed script needs another
        // version.
        let digest = Hex.encode(Digest.sha256(script.utf8.span).span).prefix(8)
        // near-connect appends "?nonce=..." to the address; the final comment absorbs it.
        let address = "data:text/javascript,\(PercentEncoding.encode(script + "\n//"))"
        return [
            "id": "countersign", "name": "Countersign",
            "description": "A signing hub on your own computer",
            "icon": .string(icon), "website": "https://countersign.example",
            "version": .string("1.0.0-\(digest)"), "type": "sandbox",
            "executor": .string(address), "platform": [],
            "permissions": ["storage": true, "allowsOpen": [.string(origin)]],
            "features": .object(
                JSONObject(
                    features.map { .init(name: $0.key, value: .bool($0.value)) })),
        ]
    }

    /// The features by which pages choose wallets.
    private static let features: KeyValuePairs<String, Bool> = [
        "signMessage": true, "signTransaction": false, "signAndSendTransaction": true,
        "signAndSendTransactions": true, "signInWithoutAddKey": true,
        "signInAndSignMessage": true, "signInWithFunctionCallKey": true,
        "signDelegateActions": true, "mainnet": true, "testnet": true,
    ]

    private static let icon =
        "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E"
        + "%3Crect width='32' height='32' rx='7' fill='%23234'/%3E%3Cpath d='M8 17l6 6L25 9' "
        + "fill='none' stroke='%23fff' stroke-width='4'/%3E%3C/svg%3E"
}
