// SPDX-License-Identifier: Apache-2.0

internal import SigningCore

/// The contacts as the hub uses them: found by address, and made once for each state of the vault.
struct ContactNames: AccountNames {
    /// The maximum number of contacts in lines of their own, and of warnings.
    static let linesMax = 12

    private let byAddress: [ProtocolID: [String: [Contact]]]
    private let lookalikes: Lookalikes

    init(_ contacts: Contacts) {
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

    func dangers(of request: JudgedRequest, in schema: FactSchema) -> [Danger] {
        // Most homes have no contacts of most chains.
        guard byAddress[request.protocolID] != nil else { return [] }
        let isLike = request.addresses(in: schema).contains {
            lookalikes.contact(like: $0, of: request.protocolID) != nil
        }
        return isLike ? [.lookalike] : []
    }

    func naming(
        _ summary: Summary, of request: JudgedRequest, in schema: FactSchema,
        besides keyNames: [String]
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
        let addresses = request.addresses(in: schema)
        // Clients' own words are not changed: their contacts get a line.
        let others = Set(addresses.compactMap { text.contact(of: $0) }).subtracting(text.shown)
            .sorted { $0.name < $1.name }
        named.lines += others.prefix(Self.linesMax).map {
            Summary.Line("contact", $0.text).essential()
        }
        if others.count > Self.linesMax {
            named.lines.append(
                .init("contact", "\(others.count - Self.linesMax) more contacts").essential())
        }
        named.warnings = warnings(of: addresses, request.protocolID) + summary.warnings
        return named
    }

    private func warnings(of addresses: [String], _ protocolID: ProtocolID) -> [String] {
        let pairs = Set(addresses).sorted().compactMap { text in
            lookalikes.contact(like: text, of: protocolID).map { (text, $0) }
        }
        let shown = pairs.prefix(Self.linesMax).map { text, contact in
            let address = (try? ContactAddress("\(protocolID):\(text)"))?.shown ?? text
            return "\(address) is not your contact \(contact.name), whose address "
                + "\(contact.address.shown) looks like it"
        }
        let more = pairs.count - shown.count
        return shown + (more > 0 ? ["\(more) more addresses look like those of contacts"] : [])
    }
}

extension JudgedRequest {
    /// The addresses in the facts, without those of keys held here.
    fileprivate func addresses(in schema: FactSchema) -> [String] {
        var found: [String] = []
        for fact in facts + operations.flatMap(\.facts) {
            let texts = fact.value.texts
            guard !texts.isEmpty,
                Self.moreFields.contains(fact.name)
                    || schema.field(named: fact.name)?.type == .account
            else { continue }
            found += texts.filter { !ownAddresses.contains($0) }
        }
        return found
    }

    /// Fields of texts that are addresses as well.
    private static let moreFields: Set = ["tag.p", "tag.P", "key.receiver", "recipient"]

    /// The networks of the request and its operations.
    fileprivate var networks: [String] {
        (facts + operations.flatMap(\.facts)).filter { $0.name == AssetFields.network }
            .flatMap(\.value.texts)
    }
}

extension FactValue {
    fileprivate var texts: [String] {
        switch self {
        case .text(let text): [text]
        case .list(let values): values.flatMap(\.texts)
        case .bool, .integer, .bytes, .time: []
        }
    }
}
