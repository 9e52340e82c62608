// SPDX-License-Identifier: Apache-2.0

internal import SigningCore

/// The addresses in a request that a person sees, without those of keys held here.
struct RequestAddresses {
    /// The addresses in fields of accounts, and those in sentences of the hub.
    private(set) var accounts: Set<String> = []
    /// The words in texts of a client that have the form of an address.
    private(set) var words: Set<String> = []
    /// True if the texts have more words than are compared.
    private(set) var isCut = false

    /// The maximum number of addresses in texts of one request.
    static let countMax = 10_000

    /// Finds the addresses in the facts and in the summary of the adapter.
    ///
    /// Rules see no fact that is incomplete, so the facts alone would not have all addresses.
    init(_ request: JudgedRequest, in schema: FactSchema, _ summary: Summary) {
        let form = AddressForm(request.protocolID)
        for fact in request.facts + request.operations.flatMap(\.facts) {
            let isAccount = schema.field(named: fact.name)?.type == .account
            guard isAccount || Self.moreFields.contains(fact.name) else { continue }
            accounts.formUnion(fact.value.texts)
        }
        for text in [summary.title] + (summary.headlines + summary.listed).map(\.text)
            + summary.warnings
        {
            add(form.words(in: text, isHub: true))
        }
        for line in summary.lines {
            for part in line.parts { add(form.words(in: part, isHub: line.author == .hub)) }
        }
        let own = Set(request.ownAddresses)
        accounts.subtract(own)
        words.subtract(own)
        words.subtract(accounts)
    }

    /// Fields of texts that are addresses; unchanged entries of a list are in no text.
    private static let moreFields: Set = ["key.receiver", "tag.p", "tag.P"]

    private mutating func add(_ found: [(text: String, isAccount: Bool)]) {
        for (text, isAccount) in found {
            guard accounts.count + words.count < Self.countMax else {
                isCut = true
                return
            }
            if isAccount { accounts.insert(text) } else { words.insert(text) }
        }
    }

    /// All addresses, sorted.
    var all: [String] { accounts.union(words).sorted() }
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
