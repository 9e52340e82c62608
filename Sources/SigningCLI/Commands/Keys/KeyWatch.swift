// SPDX-License-Identifier: Apache-2.0

import ARC27
import Algorand
import BuiltInProtocols
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningService
import SigningVault

extension CommandLineTool {
    static let keyWatch = Command(
        name: "key watch",
        options: [
            Option(name: "--protocol", value: "P", offers: .fixed([ProtocolID.algorand.name])),
            Option(name: "--name", value: "NAME"),
            Option(name: "--threshold", value: "N"),
            Option(name: "--network", value: "NET", offers: .networks),
            Option(name: "--signed-by", value: "KEY"),
        ], operands: 1...Arguments.countMax,
        summary: "add an account without a key: multisig or rekeyed",
        usage: """
            usage: countersign key watch --protocol P --name NAME --threshold N ADDRESS...
                                         [--network NET]
                   countersign key watch --signed-by KEY [--name NAME] [--network NET] ADDRESS

            Adds an algorand account (P) that has no key of its own in this home.

            With --threshold it is a multisignature account: ADDRESS... are its members, 1 to 255,
            in order, and N of them have to sign. The keys of members in this home sign its
            transactions. The address of the account depends on N and on the order of the members,
            so compare it.

            With --signed-by it is an account that was rekeyed to KEY, a key or a multisignature
            account. Apps see the account, and KEY signs its transactions and messages. If a node is
            given, the node's answer decides instead. This home may also have the own key of the
            account. Rules have to acknowledge "rekeyed_account".

            --network limits the account to one network. The list of keys is sealed, so the
            command asks for the passphrase. "key list" shows the account, "key remove" removes it.

            example: countersign key watch --protocol algorand --name joint --threshold 2 A B C
            """
    ) { invocation in
        if invocation.arguments.has("--signed-by") { return try watchRekeyed(invocation) }
        let watched = try WatchedAccount(
            invocation.arguments, and: try addedNetworks(invocation))
        let name = try invocation.arguments.required("--name")
        let workspace = try invocation.workspace(toChange: true)
        for address in watched.repeated {
            invocation.console.warn(
                "\(address) is a member more than once",
                hint: "its one signature counts each time, and the account has another address")
        }
        return try keep(name, workspace, invocation) { vault in
            try vault.watch(
                name: name, protocolID: .algorand,
                address: watched.address, publicKey: watched.publicKey,
                network: watched.network, members: watched.members)
        }
    }

    private static func addedNetworks(_ invocation: Invocation) throws -> [String] {
        let given = invocation.arguments.value("--network")
        return try given.map { try invocation.addedNetworks(for: $0).names(of: .algorand) } ?? []
    }

    /// Stores an account that was rekeyed to an account in this home.
    private static func watchRekeyed(_ invocation: Invocation) throws -> ExitStatus {
        let workspace = try invocation.workspace(toChange: true)
        let watched = try RekeyedAccount(
            invocation.arguments, among: try workspace.accounts(),
            and: try addedNetworks(invocation))
        return try keep(watched.name, workspace, invocation) { vault in
            try vault.watch(
                name: watched.name, protocolID: .algorand, address: watched.address,
                publicKey: watched.publicKey, network: watched.network,
                signedBy: watched.signer.publicKey)
        }
    }

    private static func keep(
        _ name: String, _ workspace: Workspace, _ invocation: Invocation,
        _ watch: (Vault) throws -> Account
    ) throws -> ExitStatus {
        let passphrase = try invocation.passphrase().read(to: "watch \"\(name)\"")
        let account: Account
        do {
            account = try workspace.change(with: passphrase, watch)
        } catch let error as VaultError {
            guard case .duplicateAccount(let twin) = error else { throw error }
            throw CLIError(
                "this account is watched already, as \"\(twin)\"", hint: error.explained.hint)
        }
        KeyReport(invocation).put(account, among: try workspace.accounts())
        return .done
    }
}

/// A rekeyed account, as a command line describes it.
struct RekeyedAccount {
    /// The account that signs for it.
    let signer: Account
    /// The 32 bytes of the account's address.
    let publicKey: [UInt8]
    let address: String
    let name: String
    let network: String?

    init(
        _ arguments: Arguments, among accounts: [Account], and networks: [String] = []
    ) throws {
        let chain = AlgorandChain()
        let given = arguments.value("--protocol") ?? chain.protocolID.name
        guard given == chain.protocolID.name else {
            throw CLIError.usage(
                "--protocol \(VisibleText.escaped(given)) does not have rekeyed accounts",
                hint: "leave out --protocol, or write --protocol algorand")
        }
        guard !arguments.has("--threshold") else {
            throw CLIError.usage(
                "--threshold is for a multisignature account, and --signed-by for a rekeyed "
                    + "account",
                hint: "give exactly one of them")
        }
        guard arguments.operands.count == 1, let address = arguments.operands.first else {
            throw CLIError.usage(
                "--signed-by takes one ADDRESS, and you gave \(arguments.operands.count)",
                hint: "run the command once for each address")
        }
        let keyName = try arguments.required("--signed-by")
        let held = accounts.first {
            $0.name == keyName && $0.protocolID == .algorand && $0.signedBy == nil
        }
        guard let held else {
            throw CLIError(
                "--signed-by \"\(VisibleText.quotable(keyName))\" is not an algorand key or "
                    + "multisignature account",
                hint: "see \"countersign key list\"")
        }
        do throws(CodecError) { publicKey = try AlgorandAddress.parse(address) } catch {
            throw CLIError(
                "this is not an Algorand address: \"\(VisibleText.quotable(address))\"",
                hint: "an address has 58 characters (A-Z and 2-7) with a checksum: paste all of it")
        }
        guard publicKey != held.publicKey else {
            throw CLIError(
                "this is the address of \"\(held.name)\" itself",
                hint: "give the address of the account that was rekeyed to it")
        }
        signer = held
        self.address = address
        name = arguments.value("--name") ?? "\(held.name)-for-\(address.prefix(6).lowercased())"
        let network = try chain.network(arguments.value("--network"), and: networks)
        guard network == nil || held.network == nil || network == held.network else {
            throw CLIError(
                "the key \"\(held.name)\" is only for \(held.network ?? "")",
                hint: "leave out --network")
        }
        self.network = network ?? held.network
    }
}

/// A multisignature account, as a command line describes it.
struct WatchedAccount {
    let members: MultisigMembers
    /// The 32 bytes of its address, in place of a public key.
    let publicKey: [UInt8]
    let address: String
    let network: String?
    /// The addresses of members that the command line names more than once.
    let repeated: [String]

    init(_ arguments: Arguments, and networks: [String] = []) throws {
        let name = try arguments.required("--protocol")
        let chain = AlgorandChain()
        guard name == chain.protocolID.name else {
            throw CLIError.usage(
                "--protocol \(VisibleText.escaped(name)) does not have watch-only accounts",
                hint: "write --protocol algorand")
        }
        network = try chain.network(arguments.value("--network"), and: networks)
        let addresses = arguments.operands
        guard (1...AlgorandAddress.multisigKeyCountMax).contains(addresses.count) else {
            throw CLIError.usage(
                "you gave \(addresses.count) members",
                hint: "a multisignature account has 1 to \(AlgorandAddress.multisigKeyCountMax) "
                    + "members")
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

    private static func key(of address: String, _ place: Int) throws -> [UInt8] {
        do throws(CodecError) {
            return try AlgorandAddress.parse(address)
        } catch {
            throw CLIError(
                "member \(place) is not an Algorand address: \"\(VisibleText.quotable(address))\"",
                hint: "an address has 58 characters (A-Z and 2-7) with a checksum: paste all of it")
        }
    }
}
