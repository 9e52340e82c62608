// SPDX-License-Identifier: Apache-2.0

/// The description of one act of the owner.
///
/// The command of the command line, the operation of the HTTP API, the completions and the key of
/// the inbox are made from it, and a test holds the OpenAPI document to it.
public struct ActDescription: Hashable, Sendable {
    /// The kinds of things that an act can name.
    public enum Subject: Hashable, Sendable {
        /// A remembered answer.
        case grant
        /// A connection of a client.
        case connection
        /// An access token that was not revoked, by its name.
        case token
        /// A connection over relays, by its name.
        case bunker
        /// A key, by its name.
        case key
        /// A question that waits.
        case question
    }

    /// One argument besides the subject.
    public struct Argument: Hashable, Sendable {
        /// The forms of arguments on the command line.
        public enum Form: Hashable, Sendable {
            /// An option without a value, such as `--all`; the query is `all=true`.
            case flag
            /// An option with a value of this name, such as `--name NAME`.
            case option(value: String)
            /// A free text that follows the subject.
            case operand
            /// A member of the query that the command line does not have.
            case query
        }

        /// The name, which is also the name in the query or the body of the operation.
        public let name: String
        /// The form on the command line.
        public let form: Form

        /// Describes an argument.
        init(_ name: String, _ form: Form) {
            self.name = name
            self.form = form
        }

        static let all = Argument("all", .flag)
        static let reason = Argument("reason", .operand)
    }

    /// The clients of the HTTP API that may do an act.
    public enum Permission: Hashable, Sendable {
        /// The owner, in a session.
        case owner
        /// The owner, and the holder of an access token for what concerns its own client.
        case ownerAndClient
        /// Every program; the holder of an access token needs this word in its scope.
        case programs(scope: String)
    }

    /// The operation of the HTTP API.
    public struct Operation: Hashable, Sendable {
        /// The id in the OpenAPI document.
        public let id: String
        /// The method, such as `DELETE`.
        public let method: String
        /// The path; `{id}` stands for the id of the subject.
        public let path: String
        /// The clients that may call it.
        public let permission: Permission
    }

    /// The events that a running agent sends after an act.
    public enum Event: String, Hashable, Sendable {
        /// A remembered answer was revoked.
        case revoked
        /// A connection has ended.
        case disconnected
    }

    /// The words of the command, such as `grant revoke`.
    public let name: String
    /// The line about the command in lists.
    public let summary: String
    /// The kind of thing that the act names by its id or name; nil if it concerns the whole home.
    public var subject: Subject?
    /// The arguments besides the subject.
    public var arguments: [Argument] = []
    /// The operation of the HTTP API; nil if the API has none.
    public var operation: Operation?
    /// The event that a running agent sends after it; nil if it changes nothing that clients see.
    public var event: Event?
    /// The key in the inbox of a terminal; nil if the inbox does not have the act.
    public var inboxKey: Character?
}

extension ActDescription.Operation {
    /// Returns the id in a path of this operation; an empty text for a path without an id, and nil
    /// for other paths.
    package func id(in path: String) -> String? {
        guard let place = self.path.firstRange(of: "{id}") else {
            return path == self.path ? "" : nil
        }
        let prefix = self.path[..<place.lowerBound]
        let suffix = self.path[place.upperBound...]
        guard path.count > prefix.count + suffix.count, path.hasPrefix(prefix),
            path.hasSuffix(suffix)
        else { return nil }
        let id = path.dropFirst(prefix.count).dropLast(suffix.count)
        return id.contains("/") ? nil : String(id)
    }

    /// True if a call carries its arguments in a JSON body instead of a query.
    package var hasBody: Bool { method == "POST" }

    /// Returns the path for the subject with an id.
    package func path(of id: String) -> String { path.replacing("{id}", with: id) }
}
