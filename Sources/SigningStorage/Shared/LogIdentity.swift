// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import SigningCrypto
internal import SigningFiles
internal import SigningVault

/// The identity of this hub in a shared log.
///
/// The identity is stored in the ledger's file, with its keys. The team's key hides the record from
/// the log's server. The file contains the record in the clear anyway, so the key in it reveals no
/// more. The hub's key signs only batches and statements, and must be available while the vault is
/// locked.
final class LogIdentity: Sendable {
    /// A random value for each identity, so that a change is noticed.
    let mark: [UInt8]
    let address: String
    /// The id of the ledger, 32 bytes.
    let ledger: [UInt8]
    /// The hub that started the log, whose key verifies the first batch.
    let founder: HubKey
    let hub: Int32
    private let teamKey: SecretBytes
    private let hubKey: Ed25519Key

    init(
        mark: [UInt8], address: String, ledger: [UInt8], founder: HubKey, hub: Int32,
        teamKey: consuming SecretBytes, hubKey: consuming Ed25519Key
    ) {
        self.mark = mark
        self.address = address
        self.ledger = ledger
        self.founder = founder
        self.hub = hub
        self.teamKey = teamKey
        self.hubKey = hubKey
    }

    var publicKey: [UInt8] { hubKey.publicKey }

    /// Seals and signs changes for a position in the log, in this format.
    func batch(
        _ changes: [UInt8], after place: LogPlace, version: Int32 = Schema.sharedVersion
    ) throws(LedgerError) -> LogBatch {
        let label = label(after: place, hub: hub, version: version)
        do throws(CryptoError) {
            let body = try AEAD.seal(
                SecretBytes(copying: changes.span), key: teamKey, associatedData: label.span)
            let hash = LogBatch.hash(after: place, hub: hub, version: version, body: body)
            return LogBatch(
                previous: place, hub: hub, version: version, body: body,
                signature: try hubKey.sign(hash.span))
        } catch {
            throw .unavailable("the changes cannot be sealed: \(error)")
        }
    }

    /// Opens the changes in a batch.
    func open(_ batch: LogBatch) throws(LedgerError) -> [UInt8] {
        let label = label(after: batch.previous, hub: batch.hub, version: batch.version)
        do throws(CryptoError) {
            let changes = try AEAD.open(
                batch.body.span, key: teamKey, associatedData: label.span)
            return changes.withSpan { span in
                unsafe span.withUnsafeBytes { unsafe Array($0) }
            }
        } catch {
            throw .corruptLog("batch \(batch.place.sequence) of the shared log is not this team's")
        }
    }

    /// Seals a part of a snapshot.
    func part(
        _ changes: [UInt8], at index: Int32, of place: LogPlace, isLast: Bool
    ) throws(LedgerError) -> SnapshotPart {
        let version = Schema.sharedVersion
        let label = label(ofPart: index, of: place, SnapshotPart.header(version, isLast))
        do throws(CryptoError) {
            let sealed = try AEAD.seal(
                SecretBytes(copying: changes.span), key: teamKey, associatedData: label.span)
            return SnapshotPart(version: version, isLast: isLast, sealed: sealed)
        } catch {
            throw .unavailable("a snapshot cannot be sealed: \(error)")
        }
    }

    /// Opens the changes in a part of a snapshot.
    func open(
        _ part: SnapshotPart, at index: Int32, of place: LogPlace
    ) throws(LedgerError) -> [UInt8] {
        let label = label(ofPart: index, of: place, SnapshotPart.header(part.version, part.isLast))
        do throws(CryptoError) {
            let changes = try AEAD.open(
                part.sealed.span, key: teamKey, associatedData: label.span)
            return changes.withSpan { span in
                unsafe span.withUnsafeBytes { unsafe Array($0) }
            }
        } catch {
            throw .corruptLog(
                "part \(index + 1) of the snapshot at batch \(place.sequence) is not this team's")
        }
    }

    /// Signs a statement on the log.
    ///
    /// A statement cannot be mistaken for a batch's hash, as it is longer.
    func sign(_ statement: HubStatement) throws(LedgerError) -> String {
        do throws(CryptoError) {
            let signature = try hubKey.sign(statement.message(of: ledger).span)
            return "\(statement.text) \(Hex.encode(signature.span))"
        } catch {
            throw .unavailable("a statement cannot be signed: \(error)")
        }
    }

    /// The context to which changes are bound: name, ledger, the previous hash, sequence (u64), hub
    /// (u32), version (u32), all big-endian.
    private func label(after place: LogPlace, hub: Int32, version: Int32) -> [UInt8] {
        var label = Array("countersign shared ledger changes v1\n".utf8) + ledger + place.hash
        label.append(bigEndian: UInt64(bitPattern: place.sequence + 1))
        label.append(bigEndian: UInt32(bitPattern: hub))
        label.append(bigEndian: UInt32(bitPattern: version))
        return label
    }

    /// The context to which a part of a snapshot is bound: name, ledger, position, index (u32),
    /// header.
    private func label(
        ofPart index: Int32, of place: LogPlace, _ header: [UInt8]
    ) -> [UInt8] {
        var label = Array("countersign shared ledger snapshot v1\n".utf8) + ledger + place.bytes
        label.append(bigEndian: UInt32(bitPattern: index))
        return label + header
    }

    /// The most bytes of changes in one batch.
    static let changesMax = LogBatch.bodyBytesMax - AEAD.overheadCount
}

/// A hub's number and public key.
struct HubKey: Hashable, Sendable {
    let number: Int32
    let publicKey: [UInt8]

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: UInt32(bitPattern: number))
        return bytes + publicKey
    }

    init(number: Int32, publicKey: [UInt8]) {
        self.number = number
        self.publicKey = publicKey
    }

    init?(_ bytes: [UInt8]) {
        guard bytes.count == 4 + Ed25519Key.publicKeyCount else { return nil }
        number = Int32(bitPattern: UInt32(bigEndianBytes: bytes.prefix(4)))
        guard number > 0 else { return nil }
        publicKey = Array(bytes.dropFirst(4))
    }
}

extension LogPlace {
    /// The sequence (64 bits, big-endian) and the hash.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(bigEndian: UInt64(bitPattern: sequence))
        return bytes + hash
    }

    init?(bytes: [UInt8]) {
        guard bytes.count == 8 + Self.origin.hash.count else { return nil }
        let sequence = Int64(bitPattern: UInt64(bigEndianBytes: bytes.prefix(8)))
        // An invitation may contain any position.
        guard (0..<Int64.max).contains(sequence) else { return nil }
        self.init(sequence: sequence, hash: Array(bytes.dropFirst(8)))
    }
}

extension FixedWidthInteger where Self: UnsignedInteger {
    fileprivate init(bigEndianBytes bytes: some Sequence<UInt8>) {
        self = bytes.reduce(0) { $0 << 8 | Self($1) }
    }
}
