// SPDX-License-Identifier: Apache-2.0

import SigningCore

extension ARC27Client.PeerText {
    /// The text for display: hidden characters and line ends are escaped, and it is cut.
    public var visible: String {
        VisibleText.escaped(verbatim, countMax: Self.shownCountMax)
    }

    /// The visible form.
    public var description: String { visible }
}
