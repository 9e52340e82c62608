// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore

/// The position up to which a hub knows the shared log, in one line of text that the hub signed.
///
/// `countersign-hub-1 TEAM NUMBER NAME SEQUENCE:HASH[,...] SIGNATURE`, with the end of the log
/// first and some earlier positions after it. It contains no secret and may be sent over any
/// channel.
struct HubStatement: Hashable, Sendable {
    /// The first digits of the ledger's id, by which people recognise it.
    let team: String
    let hub: Int32
    let name: String
    /// The positions, newest first; at least one.
    let places: [LogPlace]

    /// The longest line, in bytes.
    static let bytesMax = 1_024
    /// The first word of a line.
    static let beginning = "countersign-hub-1"
    /// Earlier positions are multiples of these numbers, as other hubs keep those too.
    private static let steps: [Int64] = [1 << 4, 1 << 8, 1 << 12, 1 << 16, 1 << 20]
    private static let teamDigits = 8

    /// Creates a hub's statement on a ledger.
    init(of ledger: [UInt8], by hub: LedgerHub, _ places: [LogPlace]) {
        team = Self.team(of: ledger)
        self.hub = hub.number
        name = hub.name
        self.places = places
    }

    /// The first digits of a ledger's id.
    static func team(of ledger: [UInt8]) -> String {
        String(Hex.encode(ledger.span).prefix(teamDigits))
    }

    /// The numbers of the earlier positions in a statement.
    static func earlier(than end: Int64) -> [Int64] {
        steps.map { end - end % $0 }.reduce(into: []) { numbers, number in
            if number > 0, number < numbers.last ?? end { numbers.append(number) }
        }
    }

    /// The line without its signature.
    var text: String {
        let list = places.map { "\($0.sequence):\(Hex.encode($0.hash.span))" }
        return "\(Self.beginning) \(team) \(hub) \(name) \(list.joined(separator: ","))"
    }

    /// The message that is signed: a name, the ledger, and the line without its signature.
    func message(of ledger: [UInt8]) -> [UInt8] {
        Array("countersign hub statement v1\n".utf8) + ledger + Array(text.utf8)
    }

    /// Parses a line in canonical form, with its signature; nil if it is malformed.
    static func read(_ line: String) -> (statement: HubStatement, signature: [UInt8])? {
        guard line.utf8.count <= bytesMax else { return nil }
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard words.count == 6, words[0] == beginning, let hub = Int32(words[2]),
            let signature = try? Hex.decode(words[5]), signature.count == 64,
            let statement = HubStatement(words[1], hub, words[3], words[4]),
            // Excludes signs, leading zeros and other ways to write a number.
            line == "\(statement.text) \(words[5])"
        else { return nil }
        return (statement, signature)
    }

    private init?(_ team: String, _ hub: Int32, _ name: String, _ list: String) {
        let places = list.split(separator: ",", omittingEmptySubsequences: false).compactMap {
            LogPlace(text: $0)
        }
        let isFalling = zip(places, places.dropFirst()).allSatisfy { $0.sequence > $1.sequence }
        guard !places.isEmpty, places.count <= 1 + Self.steps.count, isFalling,
            LedgerHub.isName(name), team.utf8.count == Self.teamDigits
        else { return nil }
        self.team = team
        self.hub = hub
        self.name = name
        self.places = places
    }
}

extension LogPlace {
    /// Parses a number and a hash.
    fileprivate init?(text: Substring) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let sequence = Int64(parts[0]), sequence > 0,
            let hash = try? Hex.decode(parts[1]), hash.count == Self.origin.hash.count
        else { return nil }
        self.init(sequence: sequence, hash: hash)
    }
}
