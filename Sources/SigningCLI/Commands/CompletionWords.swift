// SPDX-License-Identifier: Apache-2.0

import BuiltInProtocols
import SigningService

/// The candidates for the last word of an unfinished command line.
///
/// Shells insert a candidate as it is, and the names in a home may contain any text. Only words
/// that every shell reads literally are offered.
enum CompletionWords {
    /// The maximum number of candidates.
    static let countMax = 256

    /// The candidates for the last word; empty if that word is a file name or free text.
    static func candidates(
        for words: [String], speaking protocols: ProtocolSupport = .builtIn,
        stored: (OfferedValues.Names, _ home: String?) -> [String]
    ) -> [String] {
        var before = joined(words)
        guard let typed = before.popLast() else { return [] }
        let (skipped, rest) = CommandLineTool.withoutGlobalOptions(before[...])
        let command = CommandLineTool.commands.first { rest.starts(with: $0.words) }
        let options = (command?.options ?? []) + Option.global
        let line = Line(skipped + rest.dropFirst(command?.words.count ?? 0), options)

        func offer(_ values: OfferedValues?, after prefix: String = "") -> [String] {
            let all =
                if case .stored(let kind) = values {
                    stored(kind, line.home).filter(isValue)
                } else {
                    values?.words(protocols) ?? []
                }
            return Array(all.map { prefix + $0 }.filter { $0.hasPrefix(typed) }.prefix(countMax))
        }
        if let option = line.unfinished { return offer(option.offers) }
        let unused = options.filter { !line.given.contains($0.name) }.map(\.name)
        if line.takesOptions, typed.hasPrefix("-") {
            guard let end = typed.firstIndex(of: "=") else { return offer(.fixed(unused)) }
            let option = options.first { $0.name == typed[..<end] && $0.value != nil }
            return offer(option?.offers, after: "\(typed[...end])")
        }
        guard let command else { return offer(.fixed(commandWords(after: rest))) }
        if let values = operand(line.operandCount, of: command) { return offer(values) }
        let isFree = line.operandCount < command.operands.upperBound
        let synopsis = command.usage.split(separator: "\n\n").first ?? ""
        let takesFiles = ["FILE", "SOURCE", "OLD"].contains { synopsis.contains($0) }
        return offer(isFree && takesFiles || !line.takesOptions ? nil : .fixed(unused))
    }

    /// True if every shell reads the word literally and it is not an option.
    private static func isValue(_ word: String) -> Bool {
        !word.isEmpty && !word.hasPrefix("-")
            && word.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
                    UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    /// Joins the words that bash splits at `=` and `:`.
    private static func joined(_ words: [String]) -> [String] {
        var joined: [String] = []
        var isOpen = false
        for word in words {
            let isBreak = !word.isEmpty && word.allSatisfy { $0 == "=" || $0 == ":" }
            if isBreak || isOpen, let last = joined.popLast() {
                joined.append(last + word)
            } else {
                joined.append(word)
            }
            isOpen = isBreak
        }
        return joined
    }

    private static func commandWords(after rest: [String]) -> [String] {
        let offered = CommandLineTool.commands.filter { !$0.traits.contains(.isForPrograms) }
        return offered.map(\.words).reduce(into: []) { found, words in
            guard words.starts(with: rest), words.count > rest.count else { return }
            if !found.contains(words[rest.count]) { found.append(words[rest.count]) }
        }
    }

    /// The offered values of an operand; without operands, the second words of longer commands.
    private static func operand(_ index: Int, of command: Command) -> OfferedValues? {
        if command.operands.upperBound == 0, index == 0 {
            let words = commandWords(after: command.words)
            return words.isEmpty ? nil : .fixed(words)
        }
        guard command.operandOffers.indices.contains(index) else { return nil }
        let offers = command.operandOffers[index]
        return offers == .free ? nil : offers
    }
}

extension CompletionWords {
    /// The words after a command as typed so far, parsed like `Arguments` but without errors.
    private struct Line {
        private(set) var given: Set<String> = []
        private(set) var home: String?
        private(set) var operandCount = 0
        private(set) var takesOptions = true
        /// The option whose value comes next.
        private(set) var unfinished: Option?

        init(_ words: [String], _ options: [Option]) {
            for word in words {
                if let option = unfinished {
                    if option.name == "--home" { home = word }
                    unfinished = nil
                } else if !takesOptions || !word.hasPrefix("-") || word == "-" {
                    operandCount += 1
                } else if word == "--" {
                    takesOptions = false
                } else {
                    read(word, options)
                }
            }
        }

        private mutating func read(_ word: String, _ options: [Option]) {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            given.insert(name)
            if parts.count == 2 {
                if name == "--home" { home = String(parts[1]) }
            } else {
                unfinished = options.first { $0.name == name && $0.value != nil }
            }
        }
    }
}
