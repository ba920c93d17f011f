// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/code_place.h"

#include "formats/older_formats.h"

namespace vramscope::model {
namespace {

std::string textOf(const std::string& place) {
    return "coalesce(" + place + ".file || ':' || " + place + ".line, " + place +
           ".function || printf('+0x%x', " + place + ".offset), '')";
}

}  // namespace

StatusOr<CodePlaceSql> codePlaceSql(formats::Connection& connection) {
    VRAMSCOPE_ASSIGN_OR_RETURN(const auto version, connection.queryInt("PRAGMA main.user_version"));
    if (formats::isColumnNewerThan("exact_accesses", "first_place_id", version.value_or(0)))
        return CodePlaceSql{"'', ''", ""};
    return CodePlaceSql{textOf("f") + ", " + textOf("t"),
                        " LEFT JOIN code_places f ON f.code_place_id = a.first_place_id"
                        " LEFT JOIN code_places t ON t.code_place_id = a.last_place_id"};
}

}  // namespace vramscope::model
