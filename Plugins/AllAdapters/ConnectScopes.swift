// SPDX-License-Identifier: Apache-2.0

import Connect
import NEAR
import Nostr
import SigningCodecs
import SigningCore

/// The meaning of the scopes of a connection on each chain.
enum ConnectScopes {
    private static let recipientBytesMax = 256

    /// A method, and a kind for `sign_event`; a scope for all kinds is asked about each time.
    static let nostr: ConnectAdapter.Reading = { scope throws(ConnectRefusal) in
        guard let method = NostrMethod(rawValue: scope.method), method != .getPublicKey else {
            throw .unknownScope(
                "methods for nostr are sign_event, and those that encrypt or decrypt")
        }
        guard let bound = scope.bounds.first else { return NostrPermission(method).wish }
        guard method == .signEvent, scope.bounds.count == 1, bound.name == "kind",
            let kind = try? NostrEvent.kind(bound.value)
        else { throw .unknownScope("only sign_event has a kind, a number from 0 to 65535") }
        return NostrPermission(method, kind: kind).wish
    }

    /// Messages for one recipient on one network; any other scope is asked about each time.
    static let near: ConnectAdapter.Reading = { scope throws(ConnectRefusal) in
        guard scope.method == NEARRequest.Method.signMessage, !scope.bounds.isEmpty else {
            return try asked(scope, NEARRequest.Method.all)
        }
        guard scope.bounds.map(\.name) == ["network", "recipient"],
            let network = scope.bounds[0].value.text, let recipient = scope.bounds[1].value.text,
            NEARChain().networks.contains(network),
            (1...recipientBytesMax).contains(recipient.utf8.count)
        else {
            throw .unknownScope("sign_message is for a recipient on a network, mainnet or testnet")
        }
        let shown = VisibleText.quotable(recipient)
        return Wish(
            method: scope.method,
            facts: [
                Fact("network", .text(network)), Fact("recipient", .text(recipient)),
            ], effects: [.provesIdentity], dangers: [],
            title: "sign_message: any message to \"\(shown)\" on \(network)",
            isGrantable: true)
    }

    /// A method of the protocol, which is asked about each time.
    static func algorand(_ schema: FactSchema) -> ConnectAdapter.Reading {
        { scope throws(ConnectRefusal) in try asked(scope, schema.methods) }
    }

    private static func asked(
        _ scope: ConnectScope, _ methods: [String]
    ) throws(ConnectRefusal) -> Wish {
        guard methods.contains(scope.method), scope.method != ConnectRequest.method,
            scope.bounds.isEmpty
        else {
            throw .unknownScope("the scope must have a method that rules know, and no other member")
        }
        return Wish(
            method: scope.method, facts: [], effects: [], dangers: [], title: scope.method,
            isGrantable: false)
    }
}
