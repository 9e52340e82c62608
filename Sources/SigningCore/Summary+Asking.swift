// SPDX-License-Identifier: Apache-2.0

extension Summary {
    /// The summary with what every request has: who asks, what will happen, what is flagged.
    func completed(with request: JudgedRequest) -> Summary {
        var own = [Self.asker(request.client)]
        own += request.allEffects.map { Line("effect", $0.sentence) }
        let dangers = request.allDangers.map(\.name)
        if !dangers.isEmpty { own.append(Line("dangers", dangers.joined(separator: ", "))) }
        // No client pushes these out by asking for much.
        for index in own.indices { own[index].isEssential = true }
        return Summary(title: title, lines: lines + own, warnings: warnings)
    }

    /// What is proved stands as our words, what is only claimed as the client's.
    private static func asker(_ client: Client?) -> Line {
        switch client?.proof {
        case .callback: Line("asked by", "\(client?.id ?? "") (the answer goes there)")
        case .claimed: Line("claims to be", client?.id ?? "", by: .client)
        case nil: Line("asked by", "somebody who gave no name")
        }
    }
}
