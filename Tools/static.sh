#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the folder of static libraries for the universal program, in Debian 12 with its sources
# enabled. Every archive and source is pinned by version and hash in release/static.txt.
# usage: static.sh FOLDER
set -eu
here=$(cd "$(dirname "$0")" && pwd)
list=$here/release/static.txt
triple=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
for part in lib include pkgconfig work sources components.txt licences.txt; do
    rm -rf "${folder:?}/$part"
done
mkdir -p "$folder/sources" "$folder/lib" "$folder/include" "$folder/pkgconfig" "$folder/work" "$folder/fetched"
export CFLAGS="-O2 -g -fPIC -fstack-protector-strong -D_FORTIFY_SOURCE=2 -ffile-prefix-map=$folder/work=."

stop() {
    echo "error: $1" >&2
    echo "hint: $2" >&2
    exit 1
}

renew="read the changelog of the new version, then change its line in Tools/release/static.txt"

# Fails unless FILE has the hash of the list.
compare() {
    echo "$2  $1" | sha256sum --check --quiet --strict - >/dev/null 2>&1 ||
        stop "$1 is not the file of Tools/release/static.txt" "$renew"
}

# apt refuses to fetch as another user into a folder of root.
fetch() {
    (cd "$folder/fetched" && apt-get -qq -o APT::Sandbox::User=root "$@") ||
        stop "$* failed" "is this version still in Debian? $renew"
}

take_archives() {
    name=$1 version=$2 hash=$3
    installed=$(dpkg-query -W -f '${Version}' "$name" 2>/dev/null || true)
    [ "$installed" = "$version" ] ||
        stop "the headers of $name are of version ${installed:-none}, not $version" "$renew"
    file=$folder/fetched/${name}_$(echo "$version" | sed 's/:/%3a/')_$(dpkg --print-architecture).deb
    [ -e "$file" ] || fetch download "$name=$version"
    compare "$file" "$hash"
    dpkg-deb -x "$file" "$folder/work/$name"
    [ "$kind" = head ] || cp "$folder/work/$name/usr/lib/$triple"/*.a "$folder/lib/"
}

take_source() {
    name=$1 version=$2 hash=$3
    file=$folder/fetched/${name}_$version.dsc
    [ -e "$file" ] || fetch source --download-only "$name=$version"
    compare "$file" "$hash"
    # Compares the files with the hashes in the .dsc, and applies Debian's patches. It warns that no
    # key of the maintainer is there: the hash of the list takes its place.
    dpkg-source --no-copy -x "$file" "$folder/work/$name" >"$folder/work/$name.log" 2>&1 ||
        stop "$file cannot be unpacked" "see $folder/work/$name.log"
}

# The original archive without Debian's changes.
take_tar() {
    name=$1 version=$2 hash=$3
    file=$folder/fetched/${name}_${version%-*}.orig.tar.gz
    [ -e "$file" ] || fetch source --download-only --tar-only "$name=$version"
    compare "$file" "$hash"
    mkdir "$folder/work/$name"
    tar -xf "$file" -C "$folder/work/$name" --strip-components=1
}

with_cmake() {
    name=$1
    shift
    cmake -S "$folder/work/$name" -B "$folder/work/$name/made" -DCMAKE_BUILD_TYPE=None \
        -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_INSTALL_LIBDIR=lib -DBUILD_SHARED_LIBS=OFF \
        "$@" >"$folder/work/$name.log" 2>&1 &&
        cmake --build "$folder/work/$name/made" >>"$folder/work/$name.log" 2>&1 &&
        DESTDIR=$folder/work/made cmake --install "$folder/work/$name/made" >>"$folder/work/$name.log" 2>&1 ||
        stop "$name cannot be built" "see $folder/work/$name.log"
}

build() {
    case $1 in
        libcbor) with_cmake libcbor -DWITH_TESTS=OFF -DWITH_EXAMPLES=OFF ;;
        qrencode) with_cmake qrencode -DWITH_TOOLS=OFF -DWITHOUT_PNG=ON ;;
        # Clients only. libcap would be used if it happens to be installed.
        libwebsockets)
            with_cmake libwebsockets -DLWS_WITHOUT_SERVER=ON -DLWS_WITHOUT_TESTAPPS=ON \
                -DLWS_WITH_SHARED=OFF -DLWS_WITH_STATIC=ON -DLWS_STATIC_PIC=ON \
                -DLWS_WITH_SSL=ON -DLWS_WITHOUT_EXTENSIONS=ON -DLWS_WITH_HTTP2=OFF \
                -DLWS_IPV6=ON -DLWS_HAVE_LIBCAP=OFF -DDISABLE_WERROR=ON ;;
        # The agent's port has no TLS, so GnuTLS stays out of the process.
        libmicrohttpd)
            (cd "$folder/work/libmicrohttpd" &&
                ./configure --prefix=/usr --libdir=/usr/lib --disable-shared \
                    --enable-static --with-pic --disable-https --disable-curl --disable-doc \
                    --disable-examples && make -C src/microhttpd &&
                make -C src/microhttpd install DESTDIR="$folder/work/made" &&
                make -C src/include install DESTDIR="$folder/work/made") >"$folder/work/libmicrohttpd.log" 2>&1 ||
                stop "libmicrohttpd cannot be built" "see $folder/work/libmicrohttpd.log" ;;
        *) stop "nothing builds $1" "add it to Tools/static.sh" ;;
    esac
}

# Writes a file for pkg-config that names static libraries; only these are in the folder.
describe() {
    printf 'Name: %s\nDescription: static\nVersion: 0\nLibs: -L%s/lib %s\nCflags: -I%s/include %s\n' \
        "$1" "$folder" "$2" "$folder" "${3:-}" > "$folder/pkgconfig/$1.pc"
}

# Notes a library of the program for the SBOM, and its licence for those who get the program.
note() {
    echo "$1 $2 $3" >> "$folder/components.txt"
    for text in "/usr/share/doc/$1/copyright" "$folder/work/$1/debian/copyright" \
        "$folder/work/$1/LICENSE.md"; do
        [ -e "$text" ] || continue
        printf '== %s %s (%s)\n\n' "$1" "$2" "$3" | cat - "$text" >> "$folder/licences.txt"
        echo >> "$folder/licences.txt"
        return
    done
    stop "$1 has no licence text" "name its file in Tools/static.sh"
}

# The LGPL asks for the source of the library, as it was built.
hand_on() {
    (cd "$folder/fetched" && list_of "$1_$(echo "$2" | sed 's/^[0-9]*://').dsc" |
        while read -r file; do cp "$file" "$folder/sources/"; done)
}

# Prints the names of a .dsc and of the files that it lists.
list_of() {
    echo "$1"
    sed -n '/^Checksums-Sha256:/,/^[^ ]/s/^ [0-9a-f]* [0-9]* //p' "$1"
}

while read -r kind name version hash licence; do
    case $kind in
        # A library of headers alone has no archive.
        deb | head) take_archives "$name" "$version" "$hash" ;;
        src) take_source "$name" "$version" "$hash" && build "$name" ;;
        tar) take_tar "$name" "$version" "$hash" && build "$name" ;;
        # Only its source, which the release hands on (LGPL); the archive is a line above.
        lgpl) take_source "$name" "$version" "$hash" ;;
        *) stop "$list: unknown kind $kind" "write deb, head, src, tar or lgpl" ;;
    esac
    [ "$kind" = lgpl ] || note "$name" "$version" "$licence"
    case $kind$licence in lgpl* | srcLGPL*) hand_on "$name" "$version" ;; esac
done < "$list"

cp "$folder/work/made/usr/lib"/*.a "$folder/lib/"
cp -R "$folder/work/made/usr/include/." "$folder/include/"
describe libsodium -lsodium
describe libsecp256k1 -lsecp256k1
describe libcbor -lcbor
describe zlib -lz
describe sqlite3 -lsqlite3
describe libqrencode -lqrencode
describe libidn2 "-lidn2 -lunistring"
describe libpsl "-lpsl -lidn2 -lunistring"
describe libmicrohttpd -lmicrohttpd
describe glib-2.0 "-lglib-2.0 -lpcre2-8" "-I/usr/include/glib-2.0 -I/usr/lib/$triple/glib-2.0/include"
rm -rf "$folder/work"
