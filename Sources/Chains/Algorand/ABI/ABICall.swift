// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

/// A call of an application, read by a file that the owner added.
package struct ABICall: Sendable {
    /// The name under which the owner added the file.
    private let file: String
    private let reading: Reading

    private enum Reading: Sendable {
        case method(ABIMethod, [(argument: ABIMethod.Argument, words: String)])
        /// The file has no method with the call's selector.
        case unknownMethod
        /// The arguments or transactions are not those of the method.
        case misfit(ABIMethod)
    }

    /// Reads a call; `before` are the transactions before it in its group, the first one first.
    ///
    /// Nil if the file is not about the application, or the call is no call of a method.
    init?(
        _ call: ApplicationCall, of sender: [UInt8], after before: [Transaction],
        on network: AlgorandNetwork, by contract: ABIContract, named file: String
    ) {
        guard call.app > 0, contract.apps[network.genesisHash] == call.app,
            call.onCompletion != .clearState, let selector = call.arguments.first
        else { return nil }
        self.file = file
        guard let method = contract.methods.first(where: { $0.selector == selector }) else {
            reading = .unknownMethod
            return
        }
        do throws(ABIError) {
            let words = try method.words(of: call, by: sender, after: before)
            reading = .method(method, Array(zip(method.arguments, words)))
        } catch {
            reading = .misfit(method)
        }
    }

    private var source: String { "by the file \(Self.quoted(file)) that you added" }

    /// The words for lists; nil if the file does not explain the call.
    var phrase: String? {
        guard case .method(let method, _) = reading else { return nil }
        return "\(Self.quoted(method.name)) \(source)"
    }

    /// The method and its arguments, besides the bytes of the call.
    var lines: [Summary.Line] {
        switch reading {
        case .unknownMethod:
            return [.init("method", "not named \(source)")]
        case .misfit(let method):
            return [
                .init(
                    "method",
                    "\(Self.quoted(method.name)) \(source), but the arguments are not those of it")
            ]
        case .method(let method, let arguments):
            return [.init("method", "\(Self.quoted(method.name)) \(source)")]
                + arguments.enumerated().map { place, entry in
                    let name = entry.argument.name.map { "\(Self.quoted($0)), " } ?? ""
                    return .init(
                        "method value \(place + 1)",
                        "\(name)\(entry.argument.type.text): \(entry.words)")
                }
        }
    }

    private static let quotedMax = 128

    static func quoted(_ text: String) -> String {
        "\"\(VisibleText.quotable(text, countMax: quotedMax))\""
    }
}

extension ABIMethod {
    /// The number of arguments with a place of their own; more of them share the last place.
    private static let placesMax = 15

    /// Returns each argument in words.
    fileprivate func words(
        of call: ApplicationCall, by sender: [UInt8], after before: [Transaction]
    ) throws(ABIError) -> [String] {
        let types = arguments.compactMap(\.type.encoded)
        var values = try Self.values(Array(call.arguments.dropFirst()), types)[...]
        let transactions = arguments.count - types.count
        guard transactions <= before.count else { throw ABIError() }
        var given = before.suffix(transactions)
        var words: [String] = []
        for argument in arguments {
            switch argument.type {
            case .transaction(let kind):
                guard let transaction = given.popFirst(),
                    kind == "txn" || kind == transaction.type.rawValue
                else { throw ABIError() }
                let place = before.count - given.count
                words.append("transaction \(place) of the group, \(transaction.titleText)")
            case .value(let type): words.append(type.words(for: try Self.next(&values)))
            case .account:
                let index = try Self.index(&values)
                guard index > 0 else {
                    words.append(AlgorandAddress.text(publicKey: sender.span) + ", the sender")
                    continue
                }
                guard index <= call.accounts.count else { throw ABIError() }
                let account = call.accounts[index - 1]
                words.append(AlgorandAddress.text(publicKey: account.span))
            case .asset:
                let index = try Self.index(&values)
                guard index < call.assets.count else { throw ABIError() }
                words.append("asset \(call.assets[index])")
            case .application:
                let index = try Self.index(&values)
                guard index <= call.apps.count else { throw ABIError() }
                words.append(index == 0 ? "app \(call.app), itself" : "app \(call.apps[index - 1])")
            }
        }
        return words
    }

    private static func next(_ values: inout ArraySlice<ABIValue>) throws(ABIError) -> ABIValue {
        guard let value = values.popFirst() else { throw ABIError() }
        return value
    }

    private static func index(_ values: inout ArraySlice<ABIValue>) throws(ABIError) -> Int {
        guard case .number(let bytes) = try next(&values), bytes.count == 1 else {
            throw ABIError()
        }
        return Int(bytes[0])
    }

    /// Reads the arguments of a call; from the 15th on, they are one tuple.
    private static func values(
        _ arguments: [[UInt8]], _ types: [ABIType]
    ) throws(ABIError) -> [ABIValue] {
        let isPacked = types.count > placesMax
        let single = isPacked ? Array(types.prefix(placesMax - 1)) : types
        guard arguments.count == single.count + (isPacked ? 1 : 0) else { throw ABIError() }
        var values: [ABIValue] = []
        for (type, bytes) in zip(single, arguments) { values.append(try type.decode(bytes)) }
        guard isPacked, let last = arguments.last else { return values }
        let rest = ABIType.tuple(Array(types.dropFirst(placesMax - 1)))
        guard case .values(let others) = try rest.decode(last) else { throw ABIError() }
        return values + others
    }
}
