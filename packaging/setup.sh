# Common part of `start` and `test`: system libraries, .venv, the project in it. Sourced by sh (dash), not run.
#
#   setup "EXTRAS" PACKAGE...   EXTRAS: "" or "test"; PACKAGE...: Debian packages beyond those of the window
#
# Every step looks first and does nothing when all is there, so a second run is quick and needs no network.

# Qt's libraries for a window and for drawing without one; DejaVu has the chess signs.
PACKAGES="python3 python3-venv libegl1 libgl1 libglib2.0-0 libdbus-1-3 libfontconfig1 libxkbcommon-x11-0 \
libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 libxcb-shape0 fonts-dejavu-core"

say() { printf '%s\n' "$*" >&2; }

setup() {
    extras=$1
    shift
    install_packages $PACKAGES "$@"
    make_venv "$extras"
}

install_packages() {
    if ! command -v dpkg-query >/dev/null 2>&1; then
        say "This is no Debian system: the libraries that Qt needs are taken to be there."
        return 0
    fi
    missing=
    for package in "$@"; do
        # A backport of another name ("t64") provides the same library.
        if ! dpkg-query -W -f '${Status}\n' "$package" "${package}t64" 2>/dev/null | grep -q '^install ok installed'; then
            missing="$missing $package"
        fi
    done
    # A Python from elsewhere does as well as Debian's.
    if python_found; then
        missing=$(printf '%s' "$missing" | sed -e 's/ python3-venv//' -e 's/ python3$//' -e 's/ python3 / /')
    fi
    [ -n "$missing" ] || return 0
    line="apt-get update && apt-get install -y --no-install-recommends$missing"
    if [ "$(id -u)" -ne 0 ]; then
        say "These system packages are missing. Please run this line as root, then start again:"
        say "    $line"
        if python_found; then
            say "Going on without them; the window may not open."
            return 0
        fi
        exit 1
    fi
    say "Installing system packages:$missing"
    if ! { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing; } >&2; then
        say "The packages could not be installed. The line was:"
        say "    $line"
        if ! python_found; then exit 1; fi
        say "Going on without them."
    fi
}

# A Python of 3.11 or later that can make virtual environments (Debian splits that off as python3-venv).
python_found() {
    python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

make_venv() {
    if [ ! -x .venv/bin/python ] || ! .venv/bin/python -c '' >/dev/null 2>&1; then
        if ! python_found; then
            say "Python 3.11 or later with its venv module is needed (Debian: python3 python3-venv)."
            exit 1
        fi
        say "Making .venv"
        rm -rf .venv
        python3 -m venv .venv
    fi
    # What was installed last, for which interpreter and from which place (an editable install points there).
    stamp=.venv/cqlgui-stamp
    now=$(.venv/bin/python -c 'import hashlib, pathlib, sys
print(hashlib.sha256(pathlib.Path("pyproject.toml").read_bytes()).hexdigest(), sys.version_info[:3], pathlib.Path.cwd())')
    # The test extra includes the plain installation, not the other way round.
    for have in "$1" test; do
        [ -f "$stamp-$have" ] && [ "$(cat "$stamp-$have")" = "$now" ] && return 0
    done
    say "Installing the program and its libraries into .venv (about 200 MB the first time)"
    target=.
    [ -z "$1" ] || target=".[$1]"
    if ! .venv/bin/python -m pip install -q --disable-pip-version-check -e "$target" >&2; then
        # Without a network an installation that already satisfies the project is good enough.
        if .venv/bin/python packaging/satisfied.py $1; then
            say "pip could not look for packages, but all of them are installed."
        else
            say "The installation failed; see pip's message above. It needs a network the first time."
            exit 1
        fi
    fi
    rm -f "$stamp"-*
    printf '%s\n' "$now" >"$stamp-$1"
}
