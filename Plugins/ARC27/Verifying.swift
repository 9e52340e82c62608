// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCodecs
public import SigningCore
import SigningDigests

extension ARC27Adapter: SignedStatementReader {
    /// Parses signed data for verification.
    ///
    /// It accepts signed transactions in Base64, one on each line, and files of goal and the SDKs.
    /// It also accepts the answer to sign_transactions as JSON, and the parameters of sign_message
    /// together with `signature` and `signer`.
    public func readSigned(_ bytes: Span<UInt8>) throws(StatementError) -> SignedStatement {
        if TransactionFile.isLikely(bytes) { return try statement(of: try Self.file(bytes)) }
        let json: JSON?
        do throws(CodecError) {
            json = try Self.json(bytes)
        } catch {
            throw StatementError(error.text)
        }
        if let message = try message(json) { return message }
        let signed: [[UInt8]]
        do throws(CodecError) {
            signed = try Self.signed(bytes, json)
        } catch {
            throw StatementError(error.text)
        }
        return try statement(of: signed)
    }

    private func statement(of signed: [[UInt8]]) throws(StatementError) -> SignedStatement {
        guard !signed.isEmpty else { throw StatementError("it has no signature") }
        var lines: [Summary.Line] = []
        var claims: [SignatureClaim] = []
        var authors: [StatementAuthor] = []
        for bytes in signed {
            do throws(AlgorandRefusal) {
                let (line, own, author) = try self.claims(bytes)
                lines.append(line)
                claims += own
                authors.append(author)
            } catch {
                throw StatementError(error.message)
            }
        }
        return SignedStatement(
            summary: Summary(
                title: "\(lines.count) signed Algorand transaction(s)", lines: lines,
                warnings: []),
            signatures: claims, authors: authors)
    }

    private func message(_ json: JSON?) throws(StatementError) -> SignedStatement? {
        guard let object = json?.object else { return nil }
        do throws(AlgorandRefusal) {
            return try SignedAlgorandMessage(object, configuration)?.statement(configuration)
        } catch {
            throw StatementError(error.message)
        }
    }

    /// Returns the parsed JSON; nil for Base64.
    private static func json(_ bytes: Span<UInt8>) throws(CodecError) -> JSON? {
        let limits = JSONLimits(bytesMax: ARC27Wire.frameBytesMax)
        guard bytes.count <= limits.bytesMax else { throw .tooLong(limit: limits.bytesMax) }
        guard bytes.count > 0 else { throw .truncated }
        guard bytes[0] == UInt8(ascii: "{") else { return nil }
        return try JSON.parse(bytes, limits: limits)
    }

    /// Returns the transactions of a file, which must all be signed.
    private static func file(_ bytes: Span<UInt8>) throws(StatementError) -> [[UInt8]] {
        let items: [TransactionFile.Item]
        do throws(AlgorandRefusal) {
            items = try TransactionFile(bytes).items
        } catch {
            throw StatementError(error.message)
        }
        for (place, item) in items.enumerated() {
            let signedCount = item.multisig?.signedCount ?? (item.isSigned ? 1 : 0)
            guard signedCount > 0 else {
                throw StatementError("transaction \(place + 1) is not signed")
            }
        }
        return items.map(\.bytes)
    }

    private static func signed(
        _ bytes: Span<UInt8>, _ json: JSON?
    ) throws(CodecError) -> [[UInt8]] {
        var decoded: [[UInt8]] = []
        for text in try signedTexts(bytes, json) {
            decoded.append(try Base64.decode(text, alphabet: .either, padding: .optional))
        }
        return decoded
    }

    private static func signedTexts(
        _ bytes: Span<UInt8>, _ json: JSON?
    ) throws(CodecError) -> [String] {
        guard let json else {
            let text = try UTF8Text.decode(bytes.extracting(0..<lineCount(bytes)))
            return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        }
        guard let list = json["result"]?["stxns"]?.list else {
            throw .malformed("it must have result.stxns, or a message with its signature", at: 0)
        }
        var texts: [String] = []
        for element in list where !element.isNull {
            guard let text = element.text else {
                throw .malformed("stxns has an entry that is not text", at: 0)
            }
            texts.append(text)
        }
        return texts
    }

    /// Returns the number of bytes before the line end of a file.
    private static func lineCount(_ bytes: Span<UInt8>) -> Int {
        bytes[bytes.count - 1] == UInt8(ascii: "\n") ? bytes.count - 1 : bytes.count
    }

    /// Returns one line about a signed transaction, a claim for each of its signatures, and its
    /// sender.
    private func claims(
        _ bytes: [UInt8]
    ) throws(AlgorandRefusal) -> (Summary.Line, [SignatureClaim], StatementAuthor) {
        let signed = try SignedTransaction(canonical: bytes.span)
        let transaction = try Transaction(canonical: signed.transaction.span)
        guard signed.signer != transaction.sender else {
            throw .invalid("sgnr equals the sender, which every network refuses")
        }
        let key = signed.signer ?? transaction.sender
        var line = "\(transaction.subjectText) from \(address(transaction.sender))"
        if let receiver = transaction.receiver { line += " to \(address(receiver))" }
        var claims: [SignatureClaim] = []
        var neededCount = 1
        switch signed.proof {
        case .signature(let signature): claims = [claim(signature, by: key, over: signed)]
        case .multisig(let multisig):
            guard multisig.account.publicKey() == key else {
                throw .invalid("msig is not the account that must sign")
            }
            for (member, signature) in zip(multisig.account.keys, multisig.signatures) {
                guard let signature else { continue }
                claims.append(claim(signature, by: member, over: signed))
            }
            neededCount = Int(multisig.account.threshold)
            line +=
                ", \(multisig.signedCount) of \(multisig.account.keys.count) members signed,"
                + " \(multisig.account.threshold) needed"
        case .other:
            throw .invalid("lsig and pqsig are not supported; use sig or msig")
        }
        let author = StatementAuthor(
            address(transaction.sender), on: networkName(of: transaction),
            key: signed.signer == nil ? .ownKey : .other, signatureCount: claims.count,
            neededCount: neededCount)
        return (Summary.Line(transaction.kindText, line), claims, author)
    }

    /// Returns the name of the network in rules; for an unknown network, its genesis hash.
    private func networkName(of transaction: Transaction) -> String {
        configuration.network(withHash: transaction.genesisHash)?.policyName
            ?? "genesis hash \(Base64.encode(transaction.genesisHash.span))"
    }

    private func claim(
        _ signature: [UInt8], by key: [UInt8], over signed: SignedTransaction
    ) -> SignatureClaim {
        SignatureClaim(
            signer: address(key), scheme: .ed25519, publicKey: key, signature: signature,
            readings: [
                .init(
                    name: "transaction", preimage: Transaction.prefix + signed.transaction,
                    prehash: .none)
            ], statedMessage: nil)
    }

    private func address(_ key: [UInt8]) -> String {
        AlgorandAddress.text(publicKey: key.span)
    }
}
