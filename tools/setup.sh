# SPDX-License-Identifier: Apache-2.0
# What ./test, ./demo and .ci/run share: packages, the CUDA toolkit, configuring and building. Source it with the
# working directory at the root of the repository. Nothing is installed twice, and nothing outside apt and build/ changes.

# Debian 12 and Ubuntu 24.04 name these alike. README.md says what each library is for.
VRAMSCOPE_BUILD_PACKAGES=(build-essential cmake ninja-build pkg-config python3 git
    libsqlite3-dev libfmt-dev libcli11-dev nlohmann-json3-dev libxxhash-dev libzstd-dev libtomlplusplus-dev libdw-dev libelf-dev
    zlib1g-dev liblzma-dev libbz2-dev libgtest-dev libbenchmark-dev)

# The viewer is built where these are; everything else builds without them.
VRAMSCOPE_VIEWER_PACKAGES=(qt6-base-dev qt6-svg-dev fonts-dejavu-core)

# The wheels that hold what the collector and the samples need of a toolkit: headers, nvcc, and its parts.
VRAMSCOPE_CUDA_WHEELS=('nvidia-cuda-runtime==13.0.*' 'nvidia-cuda-cupti==13.0.*' 'nvidia-cuda-nvcc==13.0.*'
    'nvidia-cuda-crt==13.0.*' 'nvidia-nvvm==13.0.*' 'nvidia-cuda-cccl==13.0.*' 'nvidia-nvtx==13.0.*')
VRAMSCOPE_WHEELS_FOLDER=build/cuda-wheels

say() { printf '== %s\n' "$*"; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

# missing_packages NAME...: those that dpkg does not list as installed, on one line.
missing_packages() {
    local name
    for name in "$@"; do
        [ "$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || printf '%s ' "$name"
    done
}

# require_packages NAME...: installs what is missing, as root or through sudo, and says which.
require_packages() {
    command -v dpkg-query >/dev/null || {
        say "not a Debian or Ubuntu: taking for granted that these are installed: $*"
        return
    }
    local missing as_root=()
    read -ra missing <<<"$(missing_packages "$@")"
    [ "${#missing[@]}" -gt 0 ] || return 0
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || die "these packages are missing: ${missing[*]}
       There is no sudo here. As root: apt-get install ${missing[*]}"
        as_root=(sudo)
    fi
    say "installing from apt: ${missing[*]}"
    "${as_root[@]}" apt-get update -q >/dev/null || die "apt-get update failed; is there a network?"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}" \
        >build/apt.log 2>&1 || { tail -n 20 build/apt.log >&2; die "apt-get could not install them; all of it is in build/apt.log"; }
}

# want_packages WHAT NAME...: the same for packages that only WHAT needs, which is left out when they cannot be had.
want_packages() {
    local what=$1
    shift
    (require_packages "$@") || say "going on without $what"
}

# is_usable_toolkit FOLDER: has the headers of CUDA 13 or later. Older ones lack calls that the collector knows.
is_usable_toolkit() {
    [ -f "$1/include/cuda.h" ] || return 1
    [ -f "$1/include/cupti.h" ] || [ -f "$1/extras/CUPTI/include/cupti.h" ] || return 1
    local version
    version=$(sed -n 's/^#define CUDA_VERSION \([0-9]*\).*/\1/p' "$1/include/cuda.h")
    [ "${version:-0}" -ge 13000 ]
}

# find_toolkit: prints the first usable toolkit's folder, or fails.
find_toolkit() {
    local folder nvcc
    nvcc=$(command -v nvcc || true)
    for folder in "${CUDA_HOME:-}" "${CUDA_PATH:-}" "${nvcc:+$(dirname "$(dirname "$(readlink -f "$nvcc")")")}" \
                  /usr/local/cuda /usr/local/cuda-13* /opt/cuda; do
        if [ -n "$folder" ] && is_usable_toolkit "$folder"; then
            printf '%s\n' "$folder"
            return
        fi
    done
    return 1
}

# fetch_wheels: puts the wheels into build/cuda-wheels with a pip that touches nothing else.
fetch_wheels() {
    local root=$VRAMSCOPE_WHEELS_FOLDER/nvidia/cu13 python=python3
    if ! is_usable_toolkit "$root" || [ ! -f "$VRAMSCOPE_WHEELS_FOLDER/complete" ]; then
        if ! python3 -m pip --version >/dev/null 2>&1; then
            require_packages python3-pip
            python=/usr/bin/python3 # apt's, which need not be the first in PATH
        fi
        say "no CUDA 13 toolkit here: fetching its headers and nvcc as PyPI wheels into $VRAMSCOPE_WHEELS_FOLDER (115 MB)"
        rm -rf "$VRAMSCOPE_WHEELS_FOLDER"
        # --target leaves the system's Python as it is. The wheels are data, so their own dependencies are not wanted.
        "$python" -m pip install -q --no-deps --no-cache-dir --disable-pip-version-check --no-warn-script-location \
            --root-user-action=ignore --target "$VRAMSCOPE_WHEELS_FOLDER" "${VRAMSCOPE_CUDA_WHEELS[@]}" \
            || die "the wheels could not be fetched; is there a network? A toolkit from NVIDIA serves as well: set CUDA_HOME."
        is_usable_toolkit "$root" || die "the wheels in $VRAMSCOPE_WHEELS_FOLDER do not hold cuda.h and cupti.h as expected"
        touch "$VRAMSCOPE_WHEELS_FOLDER/complete"
    fi
    VRAMSCOPE_TOOLKIT=$PWD/$root
}

# choose_toolkit: sets VRAMSCOPE_TOOLKIT and says which one it is. VRAMSCOPE_CUDA_ROOT in the environment decides.
choose_toolkit() {
    if [ -n "${VRAMSCOPE_CUDA_ROOT:-}" ]; then
        VRAMSCOPE_TOOLKIT=$VRAMSCOPE_CUDA_ROOT
    elif ! VRAMSCOPE_TOOLKIT=$(find_toolkit); then
        fetch_wheels
    fi
    say "CUDA headers from $VRAMSCOPE_TOOLKIT"
}

# build_preset NAME [TARGET...]: configures build/NAME and builds it. ccache is used where it is installed.
build_preset() {
    local preset=$1 launcher=()
    shift
    if command -v ccache >/dev/null; then
        launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_C_COMPILER_LAUNCHER=ccache)
    fi
    # A found header or nvcc stays in CMake's cache; without -U a toolkit that has gone would be used for ever.
    cmake --preset "$preset" -U 'VRAMSCOPE_*_INCLUDE' -U VRAMSCOPE_NVCC -DVRAMSCOPE_CUDA_ROOT="$VRAMSCOPE_TOOLKIT" \
        "${launcher[@]}" >"build/configure-$preset.log" 2>&1 \
        || { tail -n 30 "build/configure-$preset.log" >&2; die "CMake could not configure; all of it is in build/configure-$preset.log"; }
    sed -n 's/^-- left out: /left out: /p' "build/configure-$preset.log"
    say "building in build/$preset"
    cmake --build "build/$preset" -j "$(nproc)" ${@:+--target "$@"} || die "the build failed"
}

# prepare: everything before a build.
prepare() {
    mkdir -p build
    require_packages "${VRAMSCOPE_BUILD_PACKAGES[@]}" "$@"
    choose_toolkit
}
