// SPDX-License-Identifier: Apache-2.0

import ARC27
import Algorand
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningService
import SigningStorage

extension CommandLineTool {
    static let keyWatch = Command(
        name: "key watch",
        options: [
            Option(name: "--protocol", value: "P"), Option(name: "--name", value: "NAME"),
            Option(name: "--threshold", value: "N"), Option(name: "--network", value: "NET"),
        ], operands: 1...Arguments.countMax,
        usage: """
            usage: countersign key watch --protocol P --name NAME --threshold N ADDRESS...
                                         [--network NET]

            Keeps a multisignature account of algorand (P) by the addresses of its members, 1 to
            255, in their order; N of them have to sign. It has no key of its own: its
            transactions are signed by keys of members that are held here. Its address comes of
            version 1, N and the members, so order and repetition matter: compare it. --network
            binds it to mainnet or testnet. The list of keys is sealed, so the passphrase is asked
            for.

            example: countersign key watch --protocol algorand --name joint --threshold 2 A B C
            """
    ) { invocation throws(CLIError) in
        let watched = try WatchedAccount(invocation.arguments)
        let name = try invocation.arguments.required("--name")
        let workspace = try invocation.workspace(toChange: true)
        for address in watched.repeated {
            invocation.console.warn(
                "\(address) is a member more than once",
                hint: "its one signature counts each time; another address comes of it")
        }
        let passphrase = try invocation.passphrase().read(to: "watch \"\(name)\"")
        var twin: String?
        let account: Account
        do throws(CLIError) {
            account = try workspace.change(with: passphrase) { vault throws(VaultError) in
                do throws(VaultError) {
                    return try vault.watch(
                        name: name, protocolID: .algorand,
                        address: watched.address, publicKey: watched.publicKey,
                        network: watched.network, members: watched.members)
                } catch {
                    if case .duplicateAccount(let name) = error { twin = name }
                    throw error
                }
            }
        } catch {
            guard let twin else { throw error }
            throw CLIError("this account is watched already, as \"\(twin)\"", hint: error.hint)
        }
        KeyReport(invocation).put(account, among: try workspace.accounts())
        return .done
    }
}

/// A multisignature account as the command line describes it.
struct WatchedAccount {
    let members: MultisigMembers
    /// The 32 bytes that stand for its key.
    let publicKey: [UInt8]
    let address: String
    let network: String?
    /// The addresses of members that stand there more than once.
    let repeated: [String]

    init(_ arguments: Arguments) throws(CLIError) {
        let name = try arguments.required("--protocol")
        let chain = AlgorandChain()
        guard name == chain.protocolID.name else {
            throw .usage(
                "\(VisibleText.escaped(name)) has no watch-only accounts",
                hint: "write --protocol algorand")
        }
        network = try CLIError.wrapping { () throws(ServiceError) in
            try chain.network(arguments.value("--network"))
        }
        let addresses = arguments.operands
        guard (1...AlgorandAddress.multisigKeyCountMax).contains(addresses.count) else {
            throw .usage(
                "there are \(addresses.count) members",
                hint: "an account has 1 to \(AlgorandAddress.multisigKeyCountMax)")
        }
        _ = try arguments.required("--threshold")
        let threshold = try arguments.count(
            "--threshold", default: addresses.count, max: addresses.count)
        var keys: [[UInt8]] = []
        for (index, address) in addresses.enumerated() {
            keys.append(try Self.key(of: address, index + 1))
        }
        members = MultisigMembers(
            version: AlgorandAddress.multisigVersion, threshold: UInt8(threshold), keys: keys)
        publicKey = AlgorandAddress.publicKey(
            of: members)
        address = chain.address(publicKey: publicKey, given: nil)
        repeated = Set(addresses.filter { one in addresses.count { $0 == one } > 1 }).sorted()
    }

    private static func key(of address: String, _ place: Int) throws(CLIError) -> [UInt8] {
        do throws(CodecError) {
            return try AlgorandAddress.parse(address)
        } catch {
            throw CLIError(
                "member \(place) is not an Algorand address: \"\(VisibleText.quotable(address))\"",
                hint: "58 of A-Z and 2-7 with a checksum: paste it whole")
        }
    }
}
