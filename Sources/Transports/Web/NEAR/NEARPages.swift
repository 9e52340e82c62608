// SPDX-License-Identifier: Apache-2.0

/// The pages for requests on NEAR that other pages open, and their files.
enum NEARPages {
    /// Returns the page at a path that any page may open in a window; nil if absent.
    static func window(_ path: String) -> WebFile? {
        if path == "/near" || isOwn(path) { return .html(PackageResources.window_html) }
        // Clients append "/login/" to an address that may end with a slash, and name no network.
        var parts = path.split(separator: "/")
        if parts.count == 2, networks.contains(String(parts[0])) { parts.removeFirst() }
        return parts.count == 1 && links.contains(String(parts[0]))
            ? .html(PackageResources.wallet_html) : nil
    }

    /// Returns whether the path is `/near/` with the key of one call, which no stored page's
    /// address has.
    private static func isOwn(_ path: String) -> Bool {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count == 3 && parts[1] == "near" && PageAsk.isKey(String(parts[2]))
    }

    /// The page that an app opens in its web view; other pages cannot open it in a window.
    static let bridge = "/near/bridge"

    private static let networks: Set = ["mainnet", "testnet"]
    /// The path words of MyNearWallet's links.
    private static let links: Set = ["login", "sign", "sign-message"]

    /// The files that they load, by path.
    static let files: [String: WebFile] = [
        bridge: .html(PackageResources.bridge_html),
        "/near/bridge.js": .script(PackageResources.bridge_js),
        "/near/window.css": .css(PackageResources.window_css),
        "/near/window.js": .script(PackageResources.window_js),
        "/near/asking.js": .script(PackageResources.asking_js),
        "/near/wallet.js": .script(PackageResources.wallet_js),
        "/near/link.js": .script(PackageResources.link_js),
        "/visible.js": .script(PackageResources.visible_js),
    ]
}
