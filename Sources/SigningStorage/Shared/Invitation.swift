// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import SigningCrypto
internal import SigningFiles
internal import SigningVault

/// The data with which a machine becomes an invited hub.
///
/// - The ledger's id (32 bytes).
/// - The founder and the hub (number and public key, 36 bytes each).
/// - The position in the log of the hub's entry (40 bytes).
/// - The public key that signs the record (32 bytes).
/// - The hub's seed and the log's key (32 bytes each).
/// - The address of the log.
///
/// A file begins with a name and contains everything else in one box.
struct Invitation: ~Copyable {
    let ledger: [UInt8]
    let founder: HubKey
    let hub: HubKey
    let place: LogPlace
    let logPublicKey: [UInt8]
    let address: String
    let seed: SecretBytes
    let teamKey: SecretBytes

    private static let magic = Array("countersign invitation v1\n".utf8)
    private static let publicCount = 32 + 36 + 36 + 40 + 32
    private static let headCount = publicCount + Ed25519Key.seedCount + AEAD.keyCount
    /// The longest file that is read, in bytes.
    static let bytesMax = magic.count + headCount + AEAD.overheadCount + addressBytesMax
    private static let addressBytesMax = 8_192

    /// Seals an invitation for a hub that is on record.
    static func seal(
        for hub: HubKey, _ seed: borrowing SecretBytes, vouchedBy logPublicKey: [UInt8],
        in access: borrowing Access<LedgerError>, sealedBy code: borrowing SecretBytes
    ) throws(LedgerError) -> [UInt8] {
        guard let identity = try access.logIdentity() else { throw SQLiteLedger.notShared }
        let open =
            identity.ledger + identity.founder.bytes + hub.bytes + (try access.logPlace().bytes)
            + logPublicKey
        let address = Array(identity.address.utf8)
        guard open.count == publicCount, address.count <= addressBytesMax else {
            throw .unavailable("the address is longer than an invitation can hold")
        }
        let teamKey = try access.teamKey()
        let whole = SecretBytes(count: headCount + address.count) { bytes in
            for (index, byte) in open.enumerated() { bytes[index] = byte }
            seed.withSpan { for index in $0.indices { bytes[publicCount + index] = $0[index] } }
            let place = publicCount + Ed25519Key.seedCount
            teamKey.withSpan { for index in $0.indices { bytes[place + index] = $0[index] } }
            for (index, byte) in address.enumerated() { bytes[headCount + index] = byte }
        }
        do throws(CryptoError) {
            return magic + (try AEAD.seal(whole, key: code, associatedData: magic.span))
        } catch {
            throw .unavailable("an invitation cannot be sealed: \(error)")
        }
    }

    /// Opens an invitation.
    static func open(
        _ file: [UInt8], sealedBy code: borrowing SecretBytes
    ) throws(LedgerError) -> Invitation {
        guard file.starts(with: magic), file.count <= bytesMax else {
            throw .unavailable("this is not an invitation to a team")
        }
        let box = Array(file.dropFirst(magic.count))
        let whole: SecretBytes
        do throws(CryptoError) {
            whole = try AEAD.open(box.span, key: code, associatedData: magic.span)
        } catch {
            throw .unavailable("the code is wrong, or the invitation was changed")
        }
        guard whole.count > headCount else { throw damaged }
        let open = whole.withSpan { span in (0..<publicCount).map { span[$0] } }
        let address = whole.withSpan { span in (headCount..<span.count).map { span[$0] } }
        guard let founder = HubKey(Array(open[32..<68])), let hub = HubKey(Array(open[68..<104])),
            let place = LogPlace(bytes: Array(open[104..<144])),
            let text = String(validating: address, as: UTF8.self)
        else { throw damaged }
        let middle = publicCount + Ed25519Key.seedCount
        let seed = whole.withSpan {
            SecretBytes(copying: $0.extracting(publicCount..<middle))
        }
        let teamKey = whole.withSpan {
            SecretBytes(copying: $0.extracting(middle..<headCount))
        }
        return Invitation(
            ledger: Array(open[0..<32]), founder: founder, hub: hub, place: place,
            logPublicKey: Array(open[144..<176]), address: text, seed: seed, teamKey: teamKey)
    }

    private init(
        ledger: [UInt8], founder: HubKey, hub: HubKey, place: LogPlace, logPublicKey: [UInt8],
        address: String, seed: consuming SecretBytes, teamKey: consuming SecretBytes
    ) {
        self.ledger = ledger
        self.founder = founder
        self.hub = hub
        self.place = place
        self.logPublicKey = logPublicKey
        self.address = address
        self.seed = seed
        self.teamKey = teamKey
    }

    private static var damaged: LedgerError { .unavailable("the invitation has an unknown form") }
}
