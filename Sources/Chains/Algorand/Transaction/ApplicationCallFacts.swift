// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore
import SigningDigests

extension ApplicationCall {
    /// The number of bytes of a method selector (ARC-4) in the first argument.
    private static let selectorCount = 4
    /// The number of bytes of an argument that is read as an integer (ARC-4).
    private static let integerCount = 8
    /// The maximum number of arguments with facts; no network takes more arguments.
    private static let argumentFactsMax = 16
    /// The prefix of a program that is hashed.
    private static let programPrefix: [UInt8] = Array("Program".utf8)

    package func facts(
        _ address: ([UInt8]) -> FactValue
    ) -> [Fact] {
        var facts = [
            Fact("app_id", .unsigned(app)), Fact("on_complete", .text(onCompletion.name)),
            Fact("app_args.count", .integer(Int128(arguments.count))),
            Fact("app_args.bytes", .integer(Int128(arguments.reduce(0) { $0 + $1.count }))),
            Fact("boxes.count", .integer(Int128(usedBoxes.count))),
            Fact("programs.bytes", .integer(Int128(approvalProgram.count + clearProgram.count))),
        ]
        if let first = arguments.first, first.count == Self.selectorCount {
            facts.append(Fact("app_args.selector", .bytes(first)))
        }
        if !arguments.isEmpty {
            let list = MessagePack.array(arguments.map { .binary($0) }).encode()
            facts.append(Fact("app_args.hash", .bytes(Digest.sha512_256(list.span))))
        }
        for (place, argument) in arguments.prefix(Self.argumentFactsMax).enumerated() {
            facts.append(Fact("app_arg.\(place)", .bytes(argument)))
            guard let integer = Self.integer(argument) else { continue }
            facts.append(Fact("app_uint.\(place)", .unsigned(integer)))
        }
        let programs = [("approval.hash", approvalProgram), ("clear.hash", clearProgram)]
        for (name, program) in programs where !program.isEmpty {
            facts.append(Fact(name, .bytes(Self.hash(of: program))))
        }
        let lists = [
            ("app.accounts", usedAccounts.map(address)),
            ("app.assets", usedAssets.map { .unsigned($0) }),
            ("app.apps", usedApps.map { .unsigned($0) }),
            ("boxes.names", usedBoxes.map { .bytes($0.name) }),
        ]
        for (name, values) in lists where !values.isEmpty {
            facts.append(Fact(name, .list(values)))
        }
        return facts
    }

    /// Returns the hash that identifies a program: the public key of its contract account.
    package static func hash(of program: [UInt8]) -> [UInt8] {
        let preimage = programPrefix + program
        return Digest.sha512_256(preimage.span)
    }

    /// Returns the integer of an argument (ARC-4); nil for any other length.
    package static func integer(_ argument: [UInt8]) -> UInt64? {
        guard argument.count == integerCount else { return nil }
        return argument.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
