// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
package import SigningCore

extension Answer {
    /// The result for the counters.
    var counted: Tally.Outcome {
        switch ending {
        case .outcome(.done): .done
        case .outcome(.denied): .denied
        case .outcome(.failed), .refused: .failed
        }
    }

    /// The message to send; nil if absent.
    package var message: [UInt8]? {
        switch reply {
        case .message(let bytes), .deposit(_, let bytes): bytes
        case .broadcast, .silence, .undeliverable: nil
        }
    }

    var members: [JSONObject.Member] {
        var members: [JSONObject.Member] = [
            .init(name: "state", value: .string(counted.rawValue))
        ]
        if let message {
            if let text = String(validating: message, as: UTF8.self) {
                members.append(.init(name: "reply", value: .string(text)))
            } else {
                members.append(
                    .init(name: "reply_base64", value: .string(Base64.encode(message.span))))
            }
        }
        if case .refused = ending { members.append(.init(name: "decoded", value: false)) }
        if let reason { members.append(.init(name: "reason", value: reason)) }
        if !remembered.isEmpty {
            let ids = remembered.map { JSON.string($0.idText) }
            members.append(.init(name: "remembered", value: .array(ids)))
            members.append(.init(name: "grants", value: .array(remembered.map(json))))
        }
        if !deliveries.isEmpty {
            members.append(.init(name: "deliveries", value: .array(deliveries.map(\.json))))
        }
        return members
    }

    /// A remembered answer, the time for which it is valid, and the grants that it replaces.
    private func json(_ grant: Grant) -> JSON {
        [
            "id": .string(grant.idText), "answer": .string(grant.answer.rawValue),
            "expires": grant.expires.map { .string($0.utcText) } ?? .null,
            "session": .bool(grant.login != nil),
            "uses_max": grant.usesMax.map { .integer($0) } ?? .null,
            "per": grant.per.map { .string($0.rawValue) } ?? .null,
            "limits": grant.limitWords.map { .string($0) } ?? .null,
            "replaces": .array(replaced.filter(grant.replaces).map { .string($0.idText) }),
        ]
    }

    private var reason: JSON? {
        switch ending {
        case .outcome(.done): return nil
        case .outcome(.denied(let reason)), .outcome(.failed(let reason)):
            let code = JSON.string(reason.code.rawValue)
            guard let rule = reason.rule else {
                return ["code": code, "text": .string(reason.text)]
            }
            return ["code": code, "text": .string(reason.text), "rule": .string(rule)]
        case .refused(let error):
            let code = JSON.string(error.code)
            guard let hint = error.hint else {
                return ["code": code, "text": .string(error.reason)]
            }
            return ["code": code, "text": .string(error.reason), "hint": .string(hint)]
        }
    }
}

extension Broadcast.Delivery {
    /// The outcome in the form for clients.
    fileprivate var json: JSON {
        let (word, text): (String, String?) =
            switch result {
            case .accepted: ("accepted", nil)
            case .failed: ("failed", nil)
            case .refused(_, let text): ("refused", text)
            case .declined(_, let text): ("declined", text)
            case .unknown(let text): ("unknown", text)
            case .notSent(let text): ("not_sent", text)
            }
        guard let text else { return ["id": .string(item.id), "result": .string(word)] }
        return ["id": .string(item.id), "result": .string(word), "text": .string(text)]
    }
}
