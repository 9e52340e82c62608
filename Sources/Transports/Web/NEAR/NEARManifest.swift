// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs
internal import SigningDigests

/// The wallet as pages with near-connect take it in, whole: nothing is hosted anywhere.
package enum NEARManifest {
    /// The manifest for an agent whose pages stand at `origin`, such as
    /// `http://NAME.localhost:7155`.
    package static func json(origin: String) -> JSON {
        let script = String(decoding: PackageResources.executor_js, as: UTF8.self)
            .split(separator: "COUNTERSIGN_ORIGIN", omittingEmptySubsequences: false)
            .joined(separator: origin)
        // near-connect keeps a script by id and version; another script is another version.
        let digest = Hex.encode(Digest.sha256(script.utf8.span).span).prefix(8)
        // It appends "?nonce=..." to the address, which a comment swallows.
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

    /// What pages choose wallets by.
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
