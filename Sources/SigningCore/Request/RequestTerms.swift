// SPDX-License-Identifier: Apache-2.0

/// What ties a request to others, before it and after it; a simple wire has nothing of it.
public struct RequestTerms: Sendable {
    /// The client's own name for the request, if the wire has one; the same request sent again
    /// while it waits is answered together with it.
    public var correlator: String?
    /// Whether a yes counts for this request alone, and no remembered yes answers it.
    public var isOneTime = false
    /// Whether it tells a client only what it was told when it was connected, and uses no key; a
    /// person is not asked again where nothing but the default asks.
    public var repeatsConnection = false
    /// Whether it does nothing but give up what its client has; only a rule denies it or has a
    /// person asked.
    ///
    /// Connections end, and what people allowed the client is taken back.
    public var endsConnection = false
    /// What the client would like to be granted with the answer; its adapter `GrantsWishes`.
    public var wishes: [Wish] = []
    /// What is kept of the request once it is done.
    public var notes: [Note] = []
    /// What changes about connections once it is done.
    public var connectionChanges: [ConnectionChange] = []
    /// Numbers that no other request may use again.
    public var serials: [SerialUse] = []
    /// Ids of connections that must not have ended when a key is used.
    public var requiredConnections: [[UInt8]] = []
    /// How fast its client may go; nil where nothing but the policy bounds it.
    public var pace: Pace?
    /// Why it cannot be carried out, such as an account that is not held here; nil where it can.
    ///
    /// It is judged all the same: whom rules deny learns no more than that.
    public var unserved: Reason?
    /// The other accounts that a person may choose for it instead; empty where they may not.
    public var otherAccounts: [Account] = []
    /// Whether nothing but the order of accounts chose the one it is for: then the first is taken
    /// that rules allow.
    public var isAccountOpen = false
    /// A name that requests share of which one at a time is asked about; nil where it is asked
    /// about by itself.
    ///
    /// Those of one client that wait meanwhile are settled by a yes that covers them, and by a no.
    public var burst: String?
    /// The last moment at which what it asks for is of use, such as that of a login; nil where
    /// there is none.
    public var expires: Timestamp?
    /// Whether it would still be read as it was; nil where nothing but the frame decides that.
    ///
    /// Settings may have changed while a person was asked.
    public var isCurrent: (@Sendable () -> Bool)?

    /// None at all.
    public init() {}
}
