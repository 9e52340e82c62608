// SPDX-License-Identifier: Apache-2.0

extension Peer {
    /// By what all that a caller holds at one time is counted: what is proved of it or told by the
    /// kernel, and no name that it gives itself.
    ///
    /// A process keeps its number and its start whatever program it becomes; how many there are of
    /// one program, or of one user, nobody bounds.
    var caller: String {
        if let page = credential?.page { return "browser \(page.profile) \(page.party)" }
        if let credential { return "token \(credential.tokenName)" }
        if let provedKey { return "key \(provedKey.connection) \(provedKey.publicKey)" }
        if case .message(_, let party, _)? = visit { return "page \(party)" }
        if let processMark { return "process \(processMark)" }
        if let provedServer { return "server \(provedServer.origin)" }
        if visit == .link { return "link" }
        // Without a kernel that tells who is there, only a transport of ours gives names.
        return "\(door.name) \(provedUserID.map { "\($0)" } ?? claim ?? "")"
    }

    /// By what a caller's refusals are counted; nil where they are not.
    ///
    /// A command is a program for a moment, and puts what it asks for on record without an agent as
    /// well: were commands counted together, any program could have its owner's turned away.
    var countedAs: String? {
        door == .commandLine && credential == nil && provedKey == nil ? nil : caller
    }
}
