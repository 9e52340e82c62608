// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningService

/// The contacts as the hub uses them: found by address, and made once for each state of the vault.
struct ContactNames: AccountNames {
    /// The maximum number of contacts in lines of their own, and of warnings.
    static let linesMax = 12

    private let byAddress: [ProtocolID: [String: [Contact]]]
    private let lookalikes: Lookalikes
    /// The settings that the contacts were read from.
    private let settings: HomeSettings

    init(_ contacts: Contacts, in settings: HomeSettings) {
        self.settings = settings
        var byAddress: [ProtocolID: [String: [Contact]]] = [:]
        for contact in contacts.list {
            let address = contact.address
            for text in Set([address.text, address.shown]) {
                byAddress[address.protocolID, default: [:]][text, default: []].append(contact)
            }
        }
        self.byAddress = byAddress
        lookalikes = Lookalikes(contacts.list)
    }

    var isCurrent: Bool { settings.isCurrent(Contact.settingPrefix) }

    func dangers(
        of request: JudgedRequest, in schema: FactSchema, shownIn summary: () -> Summary
    ) -> [Danger] {
        // Most homes have no contacts of most chains.
        guard byAddress[request.protocolID] != nil else { return [] }
        let found = RequestAddresses(request, in: schema, summary())
        return found.isCut || !likenesses(of: found, request.protocolID).isEmpty
            ? [.lookalike] : []
    }

    func naming(
        _ summary: Summary, of request: JudgedRequest, in schema: FactSchema,
        shownIn own: Summary, besides keyNames: [String]
    ) -> Summary {
        guard let known = byAddress[request.protocolID] else { return summary }
        let networks = Set(request.networks)
        let keys = Set(keyNames.map(ContactName.folded))
        var text = NamedText(
            known, on: networks.count == 1 ? networks.first : nil, besides: keys,
            request.ownAddresses)
        var named = summary
        named.title = text.naming(summary.title)
        named.headlines = summary.headlines.map {
            Summary.Headline($0.gravity, text.naming($0.text))
        }
        named.listed = summary.listed.map {
            Summary.Headline($0.gravity, text.naming($0.text))
        }
        named.lines = summary.lines.map { line in
            guard line.author == .hub else { return line }
            let copy = Summary.Line(line.label, text.naming(line.text))
            return line.isEssential ? copy.essential() : copy
        }
        let found = RequestAddresses(request, in: schema, own)
        // Clients' own words are not changed: their contacts get a line.
        let others = Set(found.all.compactMap { text.contact(of: $0) }).subtracting(text.shown)
            .sorted { $0.name < $1.name }
        named.lines += others.prefix(Self.linesMax).map {
            Summary.Line("contact", $0.text).essential()
        }
        if others.count > Self.linesMax {
            named.lines.append(
                .init("contact", "\(others.count - Self.linesMax) more contacts").essential())
        }
        let warnings = warnings(of: found, request.protocolID)
        named.warnings = warnings + summary.warnings
        let isNamed = !text.shown.isEmpty || !others.isEmpty || !warnings.isEmpty
        if isNamed, !settings.areChecked {
            named.lines.append(Summary.Line("contacts", Self.unchecked).essential())
        }
        return named
    }

    private static let unchecked =
        "not checked while the vault is locked: another program may have changed them"

    private func likenesses(
        of found: RequestAddresses, _ protocolID: ProtocolID
    ) -> [(text: String, contact: Contact)] {
        found.all.compactMap { text in
            let isWord = !found.accounts.contains(text)
            return lookalikes.contact(like: text, of: protocolID, isWord: isWord)
                .map { (text, $0) }
        }
    }

    private func warnings(of found: RequestAddresses, _ protocolID: ProtocolID) -> [String] {
        let pairs = likenesses(of: found, protocolID)
        let shown = pairs.prefix(Self.linesMax).map { text, contact in
            let address = (try? ContactAddress("\(protocolID):\(text)"))?.shown ?? text
            return "\(address) is not your contact \(contact.name), whose address "
                + "\(contact.address.shown) looks like it"
        }
        let more = pairs.count - shown.count
        return shown
            + (more > 0 ? ["\(more) more addresses look like those of contacts"] : [])
            + (found.isCut
                ? [
                    "only \(RequestAddresses.countMax) of the addresses in the texts were "
                        + "compared with those of contacts"
                ] : [])
    }
}

extension JudgedRequest {
    /// The networks of the request and its operations.
    fileprivate var networks: [String] {
        (facts + operations.flatMap(\.facts)).filter { $0.name == AssetFields.network }
            .flatMap { fact -> [String] in
                guard case .text(let network) = fact.value else { return [] }
                return [network]
            }
    }
}
