#!/bin/sh
# Installs jangdan from the archive beside this script: the program, shell completions and manual pages.
#
# usage: sh install.sh [--prefix FOLDER]        default: ~/.local
set -eu

fail() {
    echo "error: $1" >&2
    [ -z "${2:-}" ] || echo "hint: $2" >&2
    exit 1
}

prefix="${HOME:-}/.local"
while [ $# -gt 0 ]; do
    case "$1" in
        --prefix)
            [ $# -ge 2 ] || fail "--prefix needs a folder"
            prefix=$2
            shift 2
            ;;
        --help | -h)
            echo "usage: sh install.sh [--prefix FOLDER]        default: ~/.local"
            exit 0
            ;;
        *) fail "unknown argument '$1'" "usage: sh install.sh [--prefix FOLDER]" ;;
    esac
done
case "$prefix" in
    /*) ;;
    *) prefix="$PWD/$prefix" ;;
esac

here=$(cd "$(dirname "$0")" && pwd)
machine="$(uname -m)-$(uname -s | tr '[:upper:]' '[:lower:]')"
archive=
for file in "$here"/jangdan-*-"$machine".tar.gz; do
    [ -f "$file" ] && archive=$file
done
[ -n "$archive" ] || fail "there is no archive for $machine beside this script ($here)" \
    "download the archive, SHA256SUMS and install.sh into one folder"
[ -f "$here/SHA256SUMS" ] || fail "SHA256SUMS is missing in $here" "download it into the same folder"
name=$(basename "$archive")
expected=$(sed -n "s/^\([0-9a-f]\{64\}\)  $name\$/\1/p" "$here/SHA256SUMS")
actual=$(sha256sum "$archive" | cut -d ' ' -f 1)
[ -n "$expected" ] || fail "SHA256SUMS does not name $name" "download both from the same release"
[ "$expected" = "$actual" ] || fail "$name is damaged: its checksum is $actual instead of $expected" "download it again"

unpacked=$(mktemp -d)
trap 'rm -rf "$unpacked"' EXIT
tar -xzf "$archive" -C "$unpacked"
content="$unpacked/$(basename "$archive" .tar.gz)"

install_file() {
    mkdir -p "$(dirname "$2")"
    # Renamed into place, because a running program cannot be overwritten.
    cp "$1" "$2.new"
    mv "$2.new" "$2"
}
install_file "$content/jangdan" "$prefix/bin/jangdan"
chmod 755 "$prefix/bin/jangdan"
install_file "$content/completions/jangdan.bash" "$prefix/share/bash-completion/completions/jangdan"
install_file "$content/completions/_jangdan" "$prefix/share/zsh/site-functions/_jangdan"
install_file "$content/completions/jangdan.fish" "$prefix/share/fish/vendor_completions.d/jangdan.fish"
for page in "$content"/man/*.1; do
    install_file "$page" "$prefix/share/man/man1/$(basename "$page")"
done

echo "Installed $("$prefix/bin/jangdan" -V) in $prefix/bin"
case ":${PATH:-}:" in
    *":$prefix/bin:"*) ;;
    *) echo "Add it to your PATH: export PATH=\"$prefix/bin:\$PATH\"" ;;
esac
command -v git > /dev/null || echo "git is missing; runs need it."
echo "Try it: jangdan demo"
