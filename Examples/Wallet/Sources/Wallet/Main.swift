// SPDX-License-Identifier: Apache-2.0

import Foundation
import NIP155
import Nostr
import SigningService

/// Does everything that an app needs a home for, and prints what came of it.
@main
struct Main {
    static func main() async throws {
        try await Owner().run()
        try await Replacing().run()
        print("all of it works")
    }
}

/// A home in a new folder that is removed at the end, with the protocols of the app.
final class Wallet {
    let passphrase = SecretBytes.random(count: 32)
    let home: OpenHome
    private let path = FileManager.default.temporaryDirectory
        .appending(path: "wallet-\(UUID().uuidString)").path

    /// Makes the home and opens it.
    init() throws {
        let nostr = ProtocolSupport(chains: [NostrChain()], wires: [NIP155Adapter()])
        try OpenHome.create(at: path, speaking: nostr, passphrase: passphrase)
        home = try OpenHome(at: path, speaking: nostr)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The request of a client to sign a note.
    static func note(kind: Int = 1) -> Frame {
        Frame(
            "nostrsigner://sign_event?type=sign_event&x-success=myapp://signed"
                + "&event=%7B%22kind%22%3A\(kind)%2C%22content%22%3A%22hello%22%7D",
            from: .inProcess())
    }
}

extension Answer {
    /// `done`, or the code of the reason that nothing was signed.
    var code: String {
        switch ending {
        case .outcome(.done): "done"
        case .outcome(.denied(let reason)), .outcome(.failed(let reason)): reason.code.rawValue
        case .refused(let error): error.code
        }
    }
}

/// A result that differs from the expected one.
struct Unexpected: LocalizedError {
    let errorDescription: String?
}

/// Prints a step with its result; throws if it is not the expected one.
func expect<Value: Equatable>(_ step: String, _ found: Value, _ wanted: Value) throws {
    guard found == wanted else { throw Unexpected(errorDescription: "\(step): \(found)") }
    print("\(step): \(found)")
}
