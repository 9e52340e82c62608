// SPDX-License-Identifier: Apache-2.0

package import NEAR
import SigningCodecs

extension NEARLookups {
    /// The bytes to lay beside the frame.
    package var attachment: [UInt8] {
        let json: JSON = [
            "nonces": .array(nonces.map { .string(String($0)) }),
            "blockHash": .string(Base58.encode(blockHash.span)),
            "blockHeight": .string(String(blockHeight)), "isNonceJump": .bool(isNonceJump),
        ]
        return json.write()
    }

    init(_ attachment: [UInt8]) throws(NEARRefusal) {
        guard let object = (try? JSON.parse(attachment.span))?.object else {
            throw .invalid("what was looked up is not readable")
        }
        let members = NEP413Members(object)
        var nonces: [UInt64] = []
        for json in members.value("nonces")?.list ?? [] {
            nonces.append(try NEARNumber.u64(json, "nonce"))
        }
        self.init(
            nonces: nonces,
            blockHash: try NEARNumber.hash(members.value("blockHash"), "blockHash"),
            blockHeight: try NEARNumber.u64(members.value("blockHeight"), "blockHeight"),
            isNonceJump: try members.flag("isNonceJump"))
    }
}
