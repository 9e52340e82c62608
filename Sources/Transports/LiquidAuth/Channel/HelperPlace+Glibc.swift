// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Sandbox

/// The location of the helper programs of `countersign`.
enum HelperPlace {
    /// The reasons that a program is not used.
    enum PlaceError: Error, Hashable {
        /// The program was not found.
        case missing
        /// The program was found but cannot be used; the reason in words.
        case unusable(String)

        /// Returns the error in words.
        func words(on name: String) -> String {
            switch self {
            case .missing: "\(name) is not installed"
            case .unusable(let problem): "\(name) cannot be used: \(problem)"
            }
        }
    }

    /// Returns a hint for the installation of a missing program.
    static func installing(_ variable: String) -> String {
        "install the package countersign-liquid (from source: make datachannel install), or set "
            + "\(variable) to its path"
    }

    /// Finds a program at `named`, otherwise beside the running program or in `libexec` next to its
    /// folder.
    static func of(_ name: String, named: String?) throws(PlaceError) -> String {
        for place in named.map({ [$0] }) ?? places(of: name) {
            if let file = SandboxProgram.look(at: place) {
                close(file)
                return place
            }
            let number = errno
            guard number != ENOENT, number != ENOTDIR else { continue }
            let text = unsafe String(cString: strerror(number))
            throw .unusable(
                number == EPERM ? "others could change it, or a folder above it" : text)
        }
        throw .missing
    }

    private static func places(of name: String) -> [String] {
        var bytes = [Int8](repeating: 0, count: 4_096)
        let count = unsafe readlink("/proc/self/exe", &bytes, bytes.count)
        guard count > 0, count < bytes.count,
            let own = String(
                validating: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self),
            let slash = own.lastIndex(of: "/")
        else { return [] }
        let folder = own[..<slash]
        let above = folder.lastIndex(of: "/").map { folder[..<$0] } ?? ""
        return ["\(folder)/\(name)", "\(above)/libexec/\(name)"]
    }
}
