// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SigningCore

/// The files that may be in the folder of a socket.
///
/// The agent can move and remove sockets there, so the folder must not contain files of other
/// programs.
enum SocketFolderRule {
    /// The ending of empty files that mark a served socket.
    private static let lockEnding = ".lock"
    /// The folder of drop boxes, which also belongs to the agent.
    private static let ownFolders: Set = ["pb"]
    /// The most names to check; a folder with more files is not the agent's.
    private static let namesMax = 1_000

    /// Refuses a folder with other files; a `home` belongs to the agent completely.
    static func check(_ folder: String, in home: String?) throws(TransportError) {
        if let home, isSame(home, folder) { return }
        guard let other = firstOther(in: folder) else { return }
        throw TransportError(
            "the socket needs a directory of its own, but \(VisibleText.escaped(folder)) also "
                + "contains \"\(VisibleText.quotable(other, countMax: 64))\"",
            hint: "give --socket PATH in a directory of its own, such as ~/.countersign/agent.sock")
    }

    /// Returns the first name that is not the agent's; nil if all are.
    private static func firstOther(in folder: String) -> String? {
        guard let entries = unsafe opendir(folder) else { return "files that cannot be listed" }
        defer { unsafe closedir(entries) }
        var count = 0
        while let entry = unsafe readdir(entries) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { place in
                unsafe place.withMemoryRebound(to: CChar.self, capacity: nameBytes) {
                    unsafe String(cString: $0)
                }
            }
            count += 1
            if ![".", ".."].contains(name), count > namesMax || !isOwn(name, in: folder) {
                return name
            }
        }
        return nil
    }

    private static let nameBytes = 256

    private static func isOwn(_ name: String, in folder: String) -> Bool {
        var status = stat()
        // A file that has disappeared does not matter.
        guard unsafe lstat("\(folder)/\(name)", &status) == 0 else { return true }
        return switch status.st_mode & S_IFMT {
        case S_IFSOCK: true
        case S_IFREG: status.st_size == 0 && name.hasSuffix(lockEnding)
        case S_IFDIR: ownFolders.contains(name)
        default: false
        }
    }

    /// Returns whether two names refer to one folder.
    static func isSame(_ first: String, _ second: String) -> Bool {
        var (one, other) = (stat(), stat())
        return unsafe stat(first, &one) == 0 && stat(second, &other) == 0
            && one.st_dev == other.st_dev && one.st_ino == other.st_ino
    }
}
