// SPDX-License-Identifier: Apache-2.0

#include "CTOML.h"

#include <stdexcept>

// toml++ 3.3 has assertions that malformed input can reach, and takes them for granted where
// NDEBUG is defined. Here a failed one is a parse error like any other.
#undef NDEBUG
#define TOML_ASSERT(expr) ((expr) ? static_cast<void>(0) : throw std::logic_error("malformed input"))
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 1
#define TOML_ENABLE_FORMATTERS 0
#define TOML_ENABLE_UNRELEASED_FEATURES 0
// The parser recurses once for each array or inline table.
#define TOML_MAX_NESTED_VALUES 16
#include <toml++/toml.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct ctoml_document {
    toml::table root;
    std::vector<ctoml_node> nodes;
    std::string message;
    toml::source_position error_position = {};
};

namespace {

ctoml_text text(std::string_view view)
{
    return {reinterpret_cast<const uint8_t *>(view.data()), view.size()};
}

// Days between 1970-01-01 and a date of the Gregorian calendar.
int64_t days(const toml::date &date)
{
    const int64_t year = int64_t{date.year} - (date.month <= 2 ? 1 : 0);
    const int64_t era = (year >= 0 ? year : year - 399) / 400;
    const int64_t year_of_era = year - era * 400;
    const int64_t month = (int64_t{date.month} + 9) % 12; // from March
    const int64_t day_of_year = (153 * month + 2) / 5 + date.day - 1;
    const int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146097 + day_of_era - 719468;
}

void set_time(ctoml_node &out, const toml::date_time &value)
{
    if (!value.offset) {
        out.kind = CTOML_LOCAL_TIME;
        return;
    }
    out.kind = value.time.nanosecond == 0 ? CTOML_TIME : CTOML_FRACTIONAL_TIME;
    const int64_t minutes = int64_t{value.time.hour} * 60 + value.time.minute - value.offset->minutes;
    out.integer = days(value.date) * 86400 + minutes * 60 + value.time.second;
}

void set_value(ctoml_node &out, const toml::node &node)
{
    switch (node.type()) {
    case toml::node_type::table: out.kind = CTOML_TABLE; break;
    case toml::node_type::array: out.kind = CTOML_ARRAY; break;
    case toml::node_type::string:
        out.kind = CTOML_STRING;
        out.text = text(node.ref<std::string>());
        break;
    case toml::node_type::integer:
        out.kind = CTOML_INTEGER;
        out.integer = node.ref<int64_t>();
        break;
    case toml::node_type::boolean:
        out.kind = CTOML_BOOLEAN;
        out.integer = node.ref<bool>() ? 1 : 0;
        break;
    case toml::node_type::date_time: set_time(out, node.ref<toml::date_time>()); break;
    case toml::node_type::date:
    case toml::node_type::time: out.kind = CTOML_LOCAL_TIME; break;
    default: out.kind = CTOML_FLOAT; break;
    }
}

// Appends a node and everything below it; `key` is null inside arrays.
void append(std::vector<ctoml_node> &nodes, const toml::node &node, const toml::key *key, int64_t parent)
{
    ctoml_node out = {};
    out.parent = parent;
    set_value(out, node);
    out.line = node.source().begin.line;
    out.column = node.source().begin.column;
    out.key_line = out.line;
    out.key_column = out.column;
    if (key != nullptr) {
        out.key = text(key->str());
        out.key_line = key->source().begin.line;
        out.key_column = key->source().begin.column;
    }
    const auto index = static_cast<int64_t>(nodes.size());
    nodes.push_back(out);
    if (const toml::table *table = node.as_table()) {
        for (auto &&[child_key, child] : *table) append(nodes, child, &child_key, index);
    } else if (const toml::array *array = node.as_array()) {
        for (auto &&child : *array) append(nodes, child, nullptr, index);
    }
}

// Whether parsing stops at a failed assertion, which knows no place.
bool fails_without_place(std::string_view view)
{
    try {
        (void)toml::parse(view);
    } catch (const toml::parse_error &) {
        return false;
    } catch (const std::logic_error &) {
        return true;
    }
    return false;
}

bool continues_code_point(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// The last code point of the shortest beginning that fails so, found by halving.
toml::source_position place_of_failure(std::string_view view)
{
    size_t good = 0;
    size_t bad = view.size();
    while (good + 1 < bad) {
        const size_t middle = good + (bad - good) / 2;
        (fails_without_place(view.substr(0, middle)) ? bad : good) = middle;
    }
    while (good > 0 && continues_code_point(view[good])) good--;
    toml::source_position place = {1, 1};
    for (const char byte : view.substr(0, good)) {
        if (byte == '\n') place = {place.line + 1, 1};
        else if (!continues_code_point(byte)) place.column++;
    }
    return place;
}

} // namespace

extern "C" ctoml_document *ctoml_parse(const uint8_t *bytes, size_t count)
{
    ctoml_document *document = nullptr;
    try {
        document = new ctoml_document{};
        const std::string_view view(reinterpret_cast<const char *>(bytes), bytes == nullptr ? 0 : count);
        try {
            document->root = toml::parse(view);
            append(document->nodes, document->root, nullptr, -1);
        } catch (const toml::parse_error &error) {
            document->message = error.description();
            document->error_position = error.source().begin;
        } catch (const std::logic_error &error) {
            document->message = error.what();
            document->error_position = place_of_failure(view);
        }
        return document;
    } catch (...) {
        // No memory.
        delete document;
        return nullptr;
    }
}

extern "C" bool ctoml_failed(const ctoml_document *document, ctoml_failure *failure)
{
    if (!document->nodes.empty()) return false;
    *failure = {text(document->message), document->error_position.line, document->error_position.column};
    return true;
}

extern "C" size_t ctoml_count(const ctoml_document *document) { return document->nodes.size(); }

extern "C" ctoml_node ctoml_at(const ctoml_document *document, size_t index) { return document->nodes[index]; }

extern "C" void ctoml_free(ctoml_document *document) { delete document; }
