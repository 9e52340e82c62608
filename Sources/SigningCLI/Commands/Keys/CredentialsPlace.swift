// SPDX-License-Identifier: Apache-2.0

import NEAR

/// What the name of a credentials file says, as NEAR's tools lay them down:
/// `<network>/<account>.json` or `<network>/<account>/ed25519_<key>.json`.
struct CredentialsPlace: Hashable {
    /// The folder of the network; nil where it is none that is known here.
    let network: String?
    /// The account; nil where the name is no account's.
    let account: String?
    /// The key, as texts have it.
    let publicKey: String?

    init(path: String) {
        let names = path.split(separator: "/").map(String.init)
        let file = names.last ?? ""
        let stem = file.hasSuffix(".json") ? String(file.dropLast(".json".count)) : ""
        let isKeyFile = stem.hasPrefix(Self.keyMark)
        publicKey =
            isKeyFile ? "ed25519:" + stem.dropFirst(Self.keyMark.count) : nil
        let above = Array(names.dropLast(isKeyFile ? 2 : 1))
        let network = above.last.flatMap { Self.networks.contains($0) ? $0 : nil }
        self.network = network
        let name = isKeyFile ? names.dropLast().last ?? "" : stem
        // Elsewhere a file may have any name: "backup" is an account id as well.
        let isMeant =
            network != nil || name.contains(".") || NEARAccountKind(name) == .implicit
        account = isMeant && NEARAccountID.isValid(name) ? name : nil
    }

    /// Whether the file lies where the tools put it, so that its name has to be right.
    var isTheirs: Bool { network != nil }

    private static let networks = ["mainnet", "testnet"]
    private static let keyMark = "ed25519_"
}
