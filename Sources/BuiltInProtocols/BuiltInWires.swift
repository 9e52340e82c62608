// SPDX-License-Identifier: Apache-2.0

package import Algorand
internal import AllAdapters
internal import NIP155
import NIP155Messages
internal import Nostr
package import SigningCore
public import SigningService
package import SigningWires

/// The wires of Countersign, configured by the settings of a home and by its program.
package struct BuiltInWires: ConfiguredWires {
    private let takesDropBoxes: Bool
    private let postsAnswers: Bool
    private let postingNetworks: @Sendable () -> [AlgorandNetwork]

    /// The longest answer sent by POST, in bytes.
    private static let postedBytesMax = 2 << 20

    /// Creates the wires of a program.
    ///
    /// With `postsAnswers`, answers to pages may be longer than a URL can be. `postingNetworks` are
    /// the Algorand networks that have a node, read when a request needs them.
    package init(
        takesDropBoxes: Bool = false, postsAnswers: Bool = false,
        postingNetworks: @autoclosure @escaping @Sendable () -> [AlgorandNetwork] = []
    ) {
        self.takesDropBoxes = takesDropBoxes
        self.postsAnswers = postsAnswers
        self.postingNetworks = postingNetworks
    }

    /// Returns a new provider id of ARC-27.
    package func firstSettings() -> [String: String] { [ProviderID.setting: ProviderID.make()] }

    /// Makes the wires for these settings.
    package func adapters(under settings: HomeSettings) throws(ServiceError) -> AdapterSet {
        let clients = try AlgorandClients(settings.values[AlgorandClients.setting]).settings
        var nostr = NIP155Configuration(
            takesDropBoxes: takesDropBoxes,
            limits: postsAnswers
                ? NIP155Limits(webCallbackBytesMax: Self.postedBytesMax) : NIP155Limits())
        nostr.clients = ClientAccounts(
            try NostrClients(settings.values[NostrClients.setting]).names
        ) {
            try? NostrClients(settings.current(NostrClients.setting)).names
        }
        let added = AddedNetworks(settings.values)
        return AdapterSet(
            providerID: settings.values[ProviderID.setting] ?? "", nostr: nostr,
            postingNetworks: postingNetworks(), algorandNetworks: added.algorand,
            nearNetworks: added.near, algorandClients: clients,
            algorandClientsNow: {
                try? AlgorandClients(settings.current(AlgorandClients.setting)).settings
            }, algorandABIs: AlgorandABIs.files(in: settings.values))
    }

    /// Reads the contacts; one that cannot be read is an error, as its lookalikes would pass.
    package func accountNames(
        under settings: HomeSettings
    ) throws(ServiceError) -> (any AccountNames)? {
        ContactNames(try Contacts(settings.values), in: settings)
    }
}

extension ProtocolSupport {
    /// The protocols that come with Countersign: Nostr, NEAR and Algorand.
    ///
    /// A home for fewer protocols is opened with its own list of chains and wires.
    public static let builtIn = ProtocolSupport(
        chains: AllChains.list, checked: BuiltInWires())
}
