// SPDX-License-Identifier: Apache-2.0

import Glibc

func exitWithFailure() -> Never {
    exit(EXIT_FAILURE)
}
