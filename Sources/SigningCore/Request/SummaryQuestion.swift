// SPDX-License-Identifier: Apache-2.0

extension Summary {
    /// The summary with what every request has: who asks, what will happen, what is flagged.
    func completed(with request: JudgedRequest) -> Summary {
        var own = [Self.asker(request.client)]
        if let program = request.peer.executable {
            // It describes: whoever asks chose the name, as they choose their words.
            own.append(
                Line(
                    "program", parts: [program] + (request.peer.unit.map { [$0] } ?? []),
                    by: .client))
        }
        own += request.allEffects.map { Line("effect", $0.sentence) }
        let dangers = request.allDangers.map(\.name)
        if !dangers.isEmpty { own.append(Line("dangers", dangers.joined(separator: ", "))) }
        var copy = self
        // No client pushes these out by asking for much.
        copy.lines = lines + own.map { $0.essential() }
        copy.totals = request.totals.filter { $0.amount > 0 }.map { total in
            Line("in all", "\(total.asset.text(of: total.amount)) on \(total.asset.network)")
        }
        if request.dangers.contains(.newClient) { copy.warnings.append(Self.stranger) }
        return copy
    }

    private static let stranger = "whoever asks never got anything here before"

    /// What is proved stands as our words, what is only claimed as the client's.
    private static func asker(_ client: Client?) -> Line {
        switch client?.proof {
        case .callback: Line("asked by", "\(client?.id ?? "") (the answer goes there)")
        case .claimed: Line("claims to be", client?.id ?? "", by: .client)
        case nil: Line("asked by", "somebody who gave no name")
        }
    }
}
