// SPDX-License-Identifier: Apache-2.0

import Glibc
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningService
import TokenKeys

@main
struct Main {
    static func main() async {
        do {
            let options = try Options(Array(CommandLine.arguments.dropFirst()))
            exit(try await run(options, Wallet(options)) ? 0 : 3)
        } catch let error as TokenError {
            report(error.message, hint: error.hint)
        } catch let error as KeyStoreError {
            if case .unavailable(let text) = error { report(text) } else { report("\(error)") }
        } catch let error as ServiceError {
            report(error.message, hint: error.hint)
        } catch let error as UsageError {
            report(error.message)
        } catch {
            report("\(error)")
        }
        exit(1)
    }

    /// Runs a command; returns false if a request was not signed.
    private static func run(_ options: Options, _ wallet: Wallet) async throws -> Bool {
        switch options.command {
        case "tokens":
            let module = try TokenModule(path: options["module"] ?? TokenModule.softHSM)
            for token in try module.tokens() {
                say("\(token.serial)  \(VisibleText.escaped(token.label))")
            }
        case "keys":
            for account in try wallet.keys().accounts() { show(account) }
        case "make":
            let name = try options.keyName
            show(try wallet.keys().makeKey(name))
        case "import":
            let name = try options.keyName
            guard let text = SecretInput.line(from: STDIN_FILENO),
                let seed = try? SecretText.hex(text)
            else { throw TokenError.wrongSeed }
            show(try wallet.keys().importKey(name, seed: seed))
        case "answer": return try await answer(options, wallet)
        case "record":
            for entry in try wallet.home().record(last: 100).reversed() {
                say("\(entry.number)  \(entry.kind)")
            }
        default: throw UsageError("unknown command \"\(options.command)\"")
        }
        return true
    }

    /// Answers the requests on standard input, one JSON object on each line.
    private static func answer(_ options: Options, _ wallet: Wallet) async throws -> Bool {
        let descriptor = options.descriptor("passphrase-fd")
        guard let passphrase = descriptor.flatMap({ SecretInput.line(from: $0) }) else {
            throw UsageError("give the passphrase of the home with --passphrase-fd N")
        }
        let keys = try wallet.keys()
        defer { keys.lock() }
        let home = try wallet.home(passphrase: passphrase)
        let signer = try LocalSigner(of: home, with: OwnParts(keyStore: keys))
        try signer.unlock(passphrase: passphrase)
        var areAllDone = true
        while let line = readLine() {
            let answer = await signer.answer(Frame(line, from: .inProcess()))
            if case .message(let reply) = answer.reply {
                say(String(decoding: reply, as: UTF8.self))
            }
            if case .outcome(.done) = answer.ending { continue }
            areAllDone = false
            tell(answer.ending, keys.takeError())
        }
        try signer.finish()
        return areAllDone
    }

    /// Tells why nothing was signed: the error of the token, if there was one.
    private static func tell(_ ending: Answer.Result, _ error: TokenError?) {
        let text: String
        switch ending {
        case .outcome(.done): return
        case .outcome(.denied(let reason)), .outcome(.failed(let reason)):
            text = "\(reason.code.rawValue): \(error?.message ?? reason.text)"
        case .refused(let refusal): text = "\(refusal.code): \(error?.message ?? refusal.reason)"
        }
        report(text, hint: error?.hint)
    }

    private static func show(_ account: Account) {
        say(
            "\(account.protocolID.name)/\(account.name)  \(Hex.encode(account.publicKey.span))  "
                + account.address)
    }

    private static func report(_ message: String, hint: String? = nil) {
        write("hardware: error: \(message)\n", to: STDERR_FILENO)
        if let hint { write("hardware: hint: \(hint)\n", to: STDERR_FILENO) }
    }

    private static func say(_ line: String) { write(line + "\n", to: STDOUT_FILENO) }

    private static func write(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
