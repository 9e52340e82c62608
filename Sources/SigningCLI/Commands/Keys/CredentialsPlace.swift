// SPDX-License-Identifier: Apache-2.0

import NEAR

/// The claims in the path of a NEAR credentials file: `<network>/<account>.json` or
/// `<network>/<account>/ed25519_<key>.json`.
struct CredentialsPlace: Hashable {
    /// The network that the folder names; nil if the folder has another name.
    let network: String?
    /// The account; nil if the file name is not an account id.
    let account: String?
    /// The public key as NEAR text.
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
        // Outside a network folder a name such as "backup" may be valid as an account id by chance.
        let isMeant =
            network != nil || name.contains(".") || NEARAccountKind(name) == .implicit
        account = isMeant && NEARAccountID.isValid(name) ? name : nil
    }

    /// True if the file is in a folder of NEAR's tools, so that its name must be that of its
    /// account.
    var isTheirs: Bool { network != nil }

    private static let networks = ["mainnet", "testnet"]
    private static let keyMark = "ed25519_"
}
