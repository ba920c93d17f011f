#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Lays every source out as .clang-format says: tools/format.sh. With --check it changes nothing and fails on a difference.
# Version 14, which Debian 12 and Ubuntu 24.04 both have: other versions lay some lines out differently.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case "${1:-}" in
    --check) mode=(--dry-run -Werror) ;;
    '') mode=(-i) ;;
    *) echo "usage: tools/format.sh [--check]" >&2; exit 2 ;;
esac
# A file deleted but not yet committed is still listed, so only those that exist are passed on.
git ls-files -z --cached --others --exclude-standard -- '*.h' '*.c' '*.cpp' '*.cu' |
    while IFS= read -r -d '' file; do
        [ ! -f "$file" ] || printf '%s\0' "$file"
    done | xargs -0 clang-format-14 "${mode[@]}"
