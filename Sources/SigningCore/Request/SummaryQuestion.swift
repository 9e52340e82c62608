// SPDX-License-Identifier: Apache-2.0

extension Summary {
    /// Returns the summary with the common lines: the client, effects, dangers and `budgets`.
    func completed(
        with request: JudgedRequest, _ budgets: [String] = [], meeting new: [Counterparty] = [],
        allowedAt: Timestamp? = nil
    ) -> Summary {
        var own = [Self.clientLine(request)] + Self.page(request.peer.credential?.page)
        own += Self.program(request.peer)
        own += request.allEffects.map { Line("effect", $0.sentence) }
        let dangers = request.allDangers.map(\.name)
        if !dangers.isEmpty { own.append(Line("dangers", dangers.joined(separator: ", "))) }
        own += budgets.map { Line("budget", $0) }
        own += new.prefix(Self.newShownMax).map { Line("new", "\($0.field) \($0.value)") }
        if new.count > Self.newShownMax {
            own.append(Line("new", "and \(new.count - Self.newShownMax) more"))
        }
        var copy = self
        // The hub's own lines must stay visible even if the client fills the summary with lines.
        copy.lines = lines + own.map { $0.essential() }
        copy.totals = request.totals.filter { $0.amount > 0 }.map { total in
            Line("in all", "\(total.asset.text(of: total.amount)) on \(total.asset.network)")
        }
        if let allowedAt {
            copy.warnings.append("your rules allow this at \(allowedAt.utcText) unless you say no")
        }
        if request.dangers.contains(.newClient) { copy.warnings.append(Self.newClient) }
        if request.dangers.contains(.framed) { copy.warnings.append(Self.foreignFrame) }
        if request.dangers.contains(.byLink) { copy.warnings.append(Self.followed) }
        return copy
    }

    /// The most new counterparties that are named.
    private static let newShownMax = 4

    private static let newClient = "you have never signed anything for this client before"
    private static let foreignFrame =
        "the page is inside a page of another site, which may hide it or cover it"

    private static let followed =
        "a link led your browser here: any page can write such a link in the name of another"

    /// The line for the client; without proof, it is marked as the client's own words.
    private static func clientLine(_ request: JudgedRequest) -> Line {
        guard let client = request.client else {
            return Line("asked by", "a client without a name")
        }
        if client.proof == .claimed { return Line("claims to be", client.id, by: .client) }
        let hasSigned = request.peer.provedKey?.hasSigned ?? true
        let proof = hasSigned ? client.proof.sentence : "you gave its URI; it has sent nothing yet"
        let key = client.proof == .key ? request.peer.provedKey : nil
        let called = key.map { "\($0.name), " } ?? ""
        return Line("asked by", "\(called)\(client.id) (\(proof))")
    }

    /// The lines for the program of the peer, as the client's words: a client can choose its name.
    private static func program(_ peer: Peer) -> [Line] {
        guard let program = peer.executable else { return [] }
        let unit = peer.unit.map { [$0] } ?? []
        let parents = peer.process?.parents ?? []
        let chain = ([program] + parents).map { String($0.split(separator: "/").last ?? "?") }
        return [Line("program", parts: [program] + unit, by: .client)]
            + (parents.isEmpty
                ? [] : [Line("started by", chain.joined(separator: " <- "), by: .client)])
    }

    private static func page(_ page: BrowserPage?) -> [Line] {
        guard let page, page.isFramed else { return [] }
        return [Line("inside", page.topOrigin)]
    }
}
