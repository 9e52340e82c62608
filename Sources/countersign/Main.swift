// SPDX-License-Identifier: Apache-2.0

import SigningCLI

@main
struct Main {
    static func main() async { await CommandLineTool.main() }
}
