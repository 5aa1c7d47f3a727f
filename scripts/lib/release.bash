# The optimized programs ferry and ferryd of this checkout. Sourced by the other scripts, which set root.
# shellcheck source=packages.bash
. "$root/scripts/lib/packages.bash"
# shellcheck source=linking.bash
. "$root/scripts/lib/linking.bash"

ferry_stamp=$root/.build/ferry-release.stamp  # modification time: start of the last good build; content: its Package.resolved
ferry_log=$root/.build/ferry-release.log
ferry_resolved() { cat "$root/Package.resolved" 2>/dev/null || true; }

ferry_is_stale() {
    [ -x "$root/.build/release/ferry" ] && [ -x "$root/.build/release/ferryd" ] && [ -e "$ferry_stamp" ] || return 0
    local made_of=("$root/Package.swift" "$root/Sources" "$root/scripts/lib/linking.bash")
    [ -z "$(find "${made_of[@]}" -newer "$ferry_stamp" ! -name '*.md' -print -quit)" ] || return 0
    ! ferry_resolved | cmp -s - "$ferry_stamp"
}

# Shows the current build step on a terminal.
ferry_progress() {
    if [ -t 2 ]; then
        awk '/^\[[0-9]+\/[0-9]+\]/ { printf "\r%.78s\033[K", $0; fflush() } END { printf "\r\033[K" }' >&2
    else
        cat >/dev/null
    fi
}

# Builds with optimization. The arguments are SwiftPM's. Other options or another linker would recompile everything.
ferry_swift_build() { "$root/scripts/swift" build -c release "${ferry_link_flags[@]}" "$@"; }

# Builds these targets and their dependencies, with SwiftPM's further options. Shows the errors if that fails.
ferry_build_targets() {
    : >"$ferry_log"
    FERRY_TARGETS=$1 ferry_swift_build --package-path "$root" "${@:2}" </dev/null 2>&1 9>&- | tee -a "$ferry_log" | ferry_progress ||
        { grep -a 'error:' "$ferry_log" >&2 || tail -n 20 "$ferry_log" >&2; return 1; }
}

ferry_build() {
    ferry_build_packages
    mkdir -p "$root/.build"
    exec 9>"$root/.build/ferry-release.lock"
    flock -n 9 || { ferry_say "waiting for another build of this checkout"; flock 9; }
    if [ -z "${FERRY_REBUILD:-}" ] && ! ferry_is_stale; then return; fi  # the other process has built it
    ferry_say "building (the first time takes some minutes)"
    local started
    started=$(mktemp -p "$root/.build" --suffix .ferry-started)
    # Loading Swift's libraries would take longer than a small command, so they are linked statically.
    ferry_build_targets ferry,ferryd || { rm -f "$started"; ferry_die "the build failed; all that it said is in $ferry_log"; }
    if ! ferry_check_linking "$root/.build/release/ferry" "$root/.build/release/ferryd" >&2; then
        rm -f "$started"
        ferry_die "the programs are not linked as they should be, see above"
    fi
    ferry_resolved >"$ferry_stamp.new"
    touch -r "$started" "$ferry_stamp.new"
    mv "$ferry_stamp.new" "$ferry_stamp"
    rm -f "$started"
}

# Builds ferry-fleet beside them, if a source is newer. It needs libpq's header.
ferry_fleet_release() {
    local program=$root/.build/release/ferry-fleet
    ferry_packages libpq-dev
    ferry_release
    [ -n "${FERRY_REBUILD:-}" ] || [ ! "$program" -nt "$ferry_stamp" ] || return 0
    ferry_say "building ferry-fleet"
    ferry_build_targets ferry,ferryd,ferry-fleet --product ferry-fleet || ferry_die "the build failed; all that it said is in $ferry_log"
    touch "$program"
}

# Builds the programs if a source is newer. FERRY_REBUILD=1 always builds.
ferry_release() { if [ -n "${FERRY_REBUILD:-}" ] || ferry_is_stale; then (ferry_build); fi; }
