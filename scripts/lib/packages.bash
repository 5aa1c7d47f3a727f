# Installs missing packages of the distribution. Sourced by the other scripts. All messages go to stderr.

ferry_say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
ferry_die() { ferry_say "$@"; exit 1; }

# Folders of system programs and ldconfig, for users whose PATH lacks them.
PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"

ferry_has() {  # whether the contents of a package are available
    case "$1" in
    dbus-daemon | git | openssl | curl | nginx | wget2 | axel | flock | python3 | tinyproxy | microsocks | chromium | firefox-esr) command -v "$1" >/dev/null ;;
    python3-venv) python3 -c 'import ensurepip' 2>/dev/null ;;
    squid-openssl) command -v squid >/dev/null ;;
    chromium-driver) command -v chromedriver >/dev/null ;;
    aria2) command -v aria2c >/dev/null ;;
    binutils) command -v ld >/dev/null ;;
    debootstrap) command -v debootstrap >/dev/null ;;
    dpkg-dev) command -v dpkg-shlibdeps >/dev/null ;;
    xz-utils) command -v xz >/dev/null ;;
    util-linux) command -v flock >/dev/null ;;
    ca-certificates) [ -e /etc/ssl/certs/ca-certificates.crt ] || [ -e /etc/pki/tls/certs/ca-bundle.crt ] ;;
    publicsuffix) [ -e /usr/share/publicsuffix/public_suffix_list.dat ] ;;
    tzdata) [ -d /usr/share/zoneinfo ] ;;
    libc6-dev) [ -e /usr/include/stdlib.h ] ;;
    g++) compgen -G '/usr/include/c++/*' >/dev/null ;;
    libpq-dev) [ -e /usr/include/libpq-fe.h ] || [ -e /usr/include/postgresql/libpq-fe.h ] ;;
    iproute2) command -v ip >/dev/null ;;
    postgresql) compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null ;;
    libsqlite3-dev) [ -e /usr/include/sqlite3.h ] ;;
    zlib1g-dev) [ -e /usr/include/zlib.h ] ;;
    libcurl4-openssl-dev) [ -e /usr/include/curl/curl.h ] || compgen -G '/usr/include/*/curl/curl.h' >/dev/null ;;
    libsystemd0) ldconfig -p | grep -F 'libsystemd.so.0' >/dev/null ;;
    libcurl4) ldconfig -p | grep -F 'libcurl.so.4' >/dev/null ;;
    libxml2) ldconfig -p | grep -F 'libxml2.so' >/dev/null ;;
    libncurses6) ldconfig -p | grep -F 'libncurses.so.6' >/dev/null ;;
    *) return 1 ;;
    esac
}

ferry_fedora_name() {
    case "$1" in
    libsqlite3-dev) echo sqlite-devel ;;
    libpq-dev) echo libpq-devel ;;
    postgresql) echo postgresql-server ;;
    squid-openssl) echo squid ;;
    chromium-driver) echo chromedriver ;;
    firefox-esr) echo firefox ;;
    zlib1g-dev) echo zlib-devel ;;
    libcurl4-openssl-dev) echo libcurl-devel ;;
    python3-venv) echo python3 ;;
    publicsuffix) echo publicsuffix-list ;;
    iproute2) echo iproute ;;
    libc6-dev) echo glibc-devel ;;
    g++) echo gcc-c++ ;;
    libsystemd0) echo systemd-libs ;;
    libcurl4) echo libcurl ;;
    libncurses6) echo ncurses-libs ;;
    *) echo "$1" ;;
    esac
}

# ferry_packages NAME…: installs the missing ones of these Debian packages, unless their contents are available otherwise.
ferry_packages() {
    local name missing=() fedora=() as_root=()
    for name in "$@"; do
        ferry_has "$name" || { missing+=("$name"); fedora+=("$(ferry_fedora_name "$name")"); }
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    if ! command -v apt-get >/dev/null; then
        ferry_die "needs what these packages bring, please install them and run this again." \
            "Debian's names: ${missing[*]}. Fedora's names: ${fedora[*]}."
    fi
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null ||
            ferry_die "needs these packages; please run as root: apt-get install ${missing[*]}"
        as_root=(sudo)
    fi
    ferry_say "installing missing system packages${as_root:+ (with sudo)}: ${missing[*]}"
    {
        "${as_root[@]}" apt-get update -q &&
            "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
    } </dev/null >&2 || ferry_die "apt-get failed, see above; these packages are needed: ${missing[*]}"
    # Some packages start servers on installation. Stop them: only the programs are needed.
    [ -d /run/systemd/system ] || return 0
    for name in nginx tinyproxy squid-openssl postgresql; do
        case " ${missing[*]} " in
        *" $name "*) "${as_root[@]}" systemctl disable -q --now "${name%-openssl}" >&2 || true ;;
        esac
    done
}

# Installs the packages needed to build Ferry with a Swift toolchain.
ferry_build_packages() {
    command -v swift >/dev/null || ferry_die \
        "Ferry is built with Swift 6.3 and there is no 'swift' on the PATH." \
        "Install it as https://www.swift.org/install/linux/ says, open a new shell and run this again."
    ferry_packages git ca-certificates tzdata util-linux binutils libc6-dev g++ libsqlite3-dev zlib1g-dev \
        libcurl4 libxml2 libncurses6
}

# ferry_python_packages FOLDER NAME==VERSION…: installs these packages of PyPI in a virtual environment in this folder.
ferry_python_packages() {
    local folder="$1" wanted
    shift
    wanted="$*"
    [ "$(cat "$folder/packages" 2>/dev/null)" != "$wanted" ] || return 0
    ferry_packages python3 python3-venv
    ferry_say "installs $wanted"
    rm -rf "$folder"
    python3 -m venv "$folder" && "$folder/bin/pip" install --quiet --disable-pip-version-check "$@" >&2 ||
        ferry_die "cannot install $wanted from PyPI"
    printf '%s\n' "$wanted" >"$folder/packages"
}
