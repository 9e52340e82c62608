// SPDX-License-Identifier: Apache-2.0

// Fuzzes the reader of policies below Swift. Before any input it reads characters of every range
// at the places where white space may stand: toml++ 3.3 has undefined behaviour there.

#include "CTOML.h"

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

bool is_refused(const std::string &text)
{
    ctoml_document *document = ctoml_parse(reinterpret_cast<const uint8_t *>(text.data()), text.size());
    ctoml_failure failure = {};
    const bool fails = document != nullptr && ctoml_failed(document, &failure)
        && failure.message.count > 0 && failure.line == 1 && failure.column > 0;
    ctoml_free(document);
    return fails;
}

const char *const strange[] = {
    "\u0080", "\u0085", "\u00A0", "\u00A1", "\u00B1", "\u00E9", "\u0499", "\u049A", "\u1680", "\u1681",
    "\u180E", "\u2000", "\u200B", "\u2028", "\u202F", "\u2060", "\u2061", "\u2C00", "\u2FFF", "\u3000",
    "\u3001", "\uD7FF", "\uE000", "\uFDD0", "\uFEFE", "\uFEFF", "\uFFFD", "\U00010000", "\U0010FFFF",
};
// `?` is where white space may stand and such a character may not.
const char *const places[] = {
    "a ? = 1", "a =? 1", "a = 1 ?", "a = [1 ?, 2]", "a = {b = 1 ?}", "[a ?]", "[a]? x", "a ?.b = 1", "a = 1 ?# x",
    "a = [ ?]", "a = \"x\" ?",
};

} // namespace

extern "C" int LLVMFuzzerInitialize(int *, char ***)
{
    for (const char *character : strange) {
        for (const std::string place : places) {
            std::string text = place;
            text.replace(text.find('?'), 1, character);
            if (is_refused(text)) continue;
            std::fprintf(stderr, "not refused: %s\n", text.c_str());
            std::abort();
        }
    }
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    ctoml_free(ctoml_parse(bytes, count));
    return 0;
}
