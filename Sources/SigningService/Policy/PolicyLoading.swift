// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningCrypto
internal import SigningFiles
package import SigningPolicy
package import SigningWires

/// A policy file with its diagnostics.
package struct PolicyLoading: Sendable {
    /// The bytes of the file.
    package let source: [UInt8]
    /// The policy; nil if there are errors.
    package let policy: TOMLPolicy?
    /// The errors and warnings.
    package let diagnostics: [Diagnostic]

    /// The number of errors, such as `1 mistake`.
    package var mistakes: String {
        let count = diagnostics.count { $0.severity == .error }
        return count == 1 ? "1 mistake" : "\(count) mistakes"
    }

    /// Reads a file of the owner.
    package static func load(
        path: String, adapters: AdapterSet, isInForce: Bool = false
    ) throws(ServiceError) -> PolicyLoading {
        let source: [UInt8]
        do throws(PolicyFileError) {
            source = try PolicyFile.read(path)
        } catch {
            throw ServiceError(error, path: path)
        }
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return PolicyLoading(
            source, fileName: name, adapters: adapters, isInForce: isInForce)
    }

    /// Returns the policy if it can be used.
    package func usable(_ path: String) throws(ServiceError) -> TOMLPolicy {
        guard let policy else {
            throw ServiceError(
                "\(VisibleText.escaped(path)) cannot be used: \(mistakes)",
                hint: "see \"countersign policy check \(VisibleText.escaped(path))\"")
        }
        return policy
    }

    /// Reads a policy from bytes; one that is in force keeps its attested meaning.
    package init(
        _ source: [UInt8], fileName: String, adapters: AdapterSet, isInForce: Bool = false
    ) {
        self.source = source
        do throws(PolicyLoadError) {
            let loaded = try TOMLPolicy.load(
                source.span, fileName: fileName, schemas: adapters.schemas,
                at: SystemEnvironment().now(), isInForce: isInForce, sha256: { Digest.sha256($0) })
            policy = loaded
            diagnostics = loaded.findings
        } catch {
            policy = nil
            diagnostics = error.diagnostics
        }
    }
}

extension ServiceError {
    /// Makes the result for a policy file that cannot be read.
    package init(_ error: PolicyFileError, path: String) {
        let path = VisibleText.escaped(path)
        switch error {
        case .missing:
            self.init(
                "\(path) does not exist", hint: "check the path"
            )
        case .notRegular:
            self.init("\(path) is a link or not a regular file", hint: "put the file itself there")
        case .wrongOwner(let userID):
            self.init(
                "\(path) belongs to user \(userID)",
                hint: "it must belong to you or to root; copy it")
        case .writableByOthers:
            self.init("others can change \(path)", hint: "chmod go-w \(path)")
        case .tooLarge:
            self.init(
                "\(path) is larger than \(TOMLPolicy.fileBytesMax >> 10) KiB",
                hint: "shorten the policy, or check that it is the right file")
        case .unreadable: self.init("\(path) cannot be read", hint: "check its permissions")
        }
    }
}
