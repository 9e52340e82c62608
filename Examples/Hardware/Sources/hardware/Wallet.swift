// SPDX-License-Identifier: Apache-2.0

import ARC27
import Algorand
import Glibc
import NEAR
import NEP413
import SigningCore
import SigningCrypto
import SigningService
import TokenKeys

/// A home for the policy and the record, with the keys of a token.
struct Wallet {
    /// The id by which apps name this wallet in ARC-27; each wallet makes one of its own.
    static let providerID = "7c6b5f2e-3d0a-4f57-9d0e-5a1f6f2b8c41"

    private static let chains: [any Chain] = [NEARChain(), AlgorandChain()]
    private static let wires: [any ProtocolAdapter] = [
        NEP413Adapter(), ARC27Adapter(ARC27Configuration(providerID: providerID)),
    ]
    private static let protocols = ProtocolSupport(chains: chains, wires: wires)

    /// Logins at one site and small payments are signed; everything else is denied.
    private static let policy = """
        version = 2
        default = "deny"

        [[rule]]
        id = "login"
        effect = "allow"
        protocol = "near"
        operation = "sign_message"
        recipient = "example.near"
        acknowledge = ["new_client"]

        [[rule]]
        id = "small-payments"
        effect = "allow"
        protocol = "algorand"
        operation = "sign_transactions"
        type = "pay"
        amount = { max = "0.1 ALGO" }
        fee = { max = "0.001 ALGO" }
        acknowledge = ["new_client"]
        """

    private let options: Options

    init(_ options: Options) { self.options = options }

    /// Returns the keys of the token that the options name.
    func keys() throws -> TokenKeys {
        let module = try TokenModule(path: options["module"] ?? TokenModule.softHSM)
        let token = try module.token(label: options["token"], serial: options["serial"])
        let descriptor = options.descriptor("pin-fd")
        return TokenKeys(
            of: token, chains: Self.chains, domains: Self.wires.flatMap(\.domains)
        ) { () throws(TokenError) in
            guard let pin = descriptor.flatMap({ SecretInput.line(from: $0) }) else {
                throw .noPIN
            }
            return pin
        }
    }

    /// Opens the home; the first time it is created with the policy.
    func home(passphrase: borrowing SecretBytes) throws -> OpenHome {
        let path = try options.home
        guard unsafe access(path, F_OK) != 0 else { return try home() }
        try OpenHome.create(
            at: path, speaking: Self.protocols, passphrase: passphrase, policy: Self.policy)
        let home = try home()
        try home.attest(policy: Self.policy, passphrase: passphrase)
        return home
    }

    /// Opens the home without its passphrase, to read the record.
    func home() throws -> OpenHome {
        try OpenHome(at: try options.home, speaking: Self.protocols)
    }
}
