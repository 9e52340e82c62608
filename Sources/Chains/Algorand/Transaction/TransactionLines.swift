// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore

extension Transaction {
    /// Returns the fields of the type, line by line.
    package func bodyLines() -> [Summary.Line] {
        func address(_ key: [UInt8]) -> String {
            AlgorandAddress.text(publicKey: key.span)
        }
        var lines: [Summary.Line] = []
        if let receiver { lines.append(.init("to", address(receiver))) }
        switch body {
        case .payment: break
        case .assetTransfer(let transfer):
            if let source = transfer.source { lines.append(.init("taken from", address(source))) }
        case .assetConfiguration(let configuration): lines += configuration.lines(address)
        case .assetFreeze(let freeze):
            lines.append(
                .init(
                    freeze.isFrozen ? "frozen" : "freed",
                    address(freeze.account ?? Self.zeroAddress)))
        case .applicationCall(let call): lines += call.lines(address)
        case .keyRegistration(let registration): lines += registration.lines
        }
        return lines
    }
}

extension AssetConfiguration {
    fileprivate func lines(_ address: ([UInt8]) -> String) -> [Summary.Line] {
        guard let parameters else { return [] }
        var lines: [Summary.Line] = []
        let texts = [
            ("name", parameters.name), ("unit", parameters.unit), ("url", parameters.url),
        ]
        for (label, text) in texts {
            switch text {
            case nil: break
            case .text(let text)?: lines.append(.init(label, text, by: .client))
            // The bytes are not quoted and have another label, as for a note.
            case .bytes(let bytes)?:
                lines.append(.init("\(label) bytes", "hex \(Hex.encode(bytes.span))"))
            }
        }
        if action == .reconfigure {
            // The network ignores these fields in a change; a line says that they are present.
            let ignored = [("total", parameters.total), ("decimals", parameters.decimals)]
            for (label, number) in ignored where number > 0 {
                lines.append(.init(label, "\(number), which changes nothing"))
            }
        }
        if parameters.isFrozenByDefault { lines.append(.init("holdings", "frozen at first")) }
        if let digest = parameters.metadataHash {
            lines.append(.init("metadata", "hex \(Hex.encode(digest.span))"))
        }
        let roles = [
            ("manager", parameters.manager), ("reserve", parameters.reserve),
            ("freeze", parameters.freeze), ("clawback", parameters.clawback),
        ]
        for (label, key) in roles {
            lines.append(.init(label, key.map(address) ?? "no one, for ever"))
        }
        return lines
    }
}

extension KeyRegistration {
    fileprivate var lines: [Summary.Line] {
        var lines: [Summary.Line] = []
        let keys = [
            ("vote key", voteKey), ("selection key", selectionKey),
            ("state proof key", stateProofKey),
        ]
        for (label, key) in keys {
            if let key { lines.append(.init(label, "hex \(Hex.encode(key.span))")) }
        }
        if keyDilution > 0 { lines.append(.init("key dilution", "\(keyDilution)")) }
        return lines
    }
}

extension ApplicationCall {
    fileprivate func lines(
        _ address: ([UInt8]) -> String
    ) -> [Summary.Line] {
        var lines: [Summary.Line] = []
        if let text = loss { lines.append(.init("gives up", text)) }
        for (place, argument) in arguments.enumerated() {
            let integer = Self.integer(argument).map { ", as an integer \($0)" } ?? ""
            lines.append(.init("argument \(place)", Self.hex(argument) + integer))
        }
        for key in usedAccounts { lines.append(.init("may use account", address(key))) }
        for id in usedAssets { lines.append(.init("may use asset", "\(id)")) }
        for id in usedApps { lines.append(.init("may use app", "\(id)")) }
        for box in usedBoxes {
            let place = box.app == 0 ? "" : " of app \(box.app)"
            lines.append(.init("may use box", Self.hex(box.name) + place))
        }
        lines += accessLines(address)
        let programs = [("approval code", approvalProgram), ("clear code", clearProgram)]
        for (label, program) in programs where !program.isEmpty {
            let digest = Self.hash(of: program)
            lines.append(
                .init(label, "\(program.count) bytes, hash hex \(Hex.encode(digest.span))"))
        }
        let schemas = [("global state", globalSchema), ("local state", localSchema)]
        for (label, schema) in schemas {
            guard let schema else { continue }
            lines.append(
                .init(label, "\(schema.integers) integers, \(schema.byteSlices) byte slices"))
        }
        if extraPages > 0 { lines.append(.init("extra pages", "\(extraPages)")) }
        if rejectVersion > 0 {
            lines.append(.init("app version", "fails from version \(rejectVersion) on"))
        }
        return lines
    }

    /// Returns the other entries of the combined list: holdings, local states and empty entries.
    private func accessLines(_ address: ([UInt8]) -> String) -> [Summary.Line] {
        access.compactMap { reference in
            switch reference {
            case .holding(let account, let asset):
                Summary.Line(
                    "may use holding",
                    "asset \(access.asset(at: asset)) of "
                        + (access.account(at: account).map(address) ?? "the sender"))
            case .locals(let account, let app):
                Summary.Line(
                    "may use local state",
                    (app == 0 ? "this app" : "app \(access.app(at: app))") + " of "
                        + (access.account(at: account).map(address) ?? "the sender"))
            case .empty, .account, .asset, .app, .box: nil
            }
        }
    }

    /// The loss when the account leaves the application; nil if it stays.
    private var loss: String? {
        switch onCompletion {
        case .closeOut: "the data that the app keeps for the account, if the app agrees"
        case .clearState:
            "the data that the app keeps for the account, even if the app does not agree"
        default: nil
        }
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.isEmpty ? "empty" : "hex \(Hex.encode(bytes.span))"
    }
}
