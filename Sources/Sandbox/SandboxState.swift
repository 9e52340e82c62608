// SPDX-License-Identifier: Apache-2.0

/// A place that a sandboxed process may access: a file, or a folder with its content.
package struct SandboxPlace: Hashable, Sendable {
    /// The permitted access.
    package enum Access: Hashable, Sendable {
        /// Files may be read.
        case reads
        /// Files and sockets may be read, written, created and removed.
        case changes
        /// A device may be read, written and configured.
        case usesDevice
        /// Sockets may be renamed and removed; files cannot be read.
        case movesSockets
    }

    let path: String
    let access: Access

    /// Creates a place from a path and the permitted access.
    package init(_ path: String, _ access: Access) {
        self.path = path
        self.access = access
    }
}

/// The confinement of a process, in words for its owner.
package struct SandboxState: Hashable, Sendable {
    /// One aspect that is confined, or is not.
    package struct Part: Hashable, Sendable {
        /// The name of the aspect.
        package let name: String
        /// The kind of confinement; nil if there is no confinement.
        package let bound: String?
        /// The reason that the aspect is not confined.
        package let problem: String

        init(_ name: String, _ bound: String?, problem: String) {
            self.name = name
            self.bound = bound
            self.problem = bound == nil ? problem : ""
        }
    }

    /// All aspects that can be confined.
    package let parts: [Part]

    /// True if every aspect is confined.
    package var isWhole: Bool { parts.allSatisfy { $0.bound != nil } }

    /// The state in one line.
    package var text: String {
        let bound = parts.compactMap { part in part.bound.map { "\(part.name): \($0)" } }
        let missing = parts.filter { $0.bound == nil }.map { "\($0.name) (\($0.problem))" }
        let head =
            bound.isEmpty ? "not in a sandbox" : "in a sandbox; " + bound.joined(separator: ", ")
        return missing.isEmpty
            ? head : head + "; not restricted: " + missing.joined(separator: ", ")
    }
}
