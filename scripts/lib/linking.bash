# Release linking of Ferry's programs. Sourced by the other scripts after packages.bash.

# No run path: otherwise a program would load libraries from its own folder, where a download may have placed one.
# relro and now: relocated data is read-only after loading. -s: strips symbols. No debug information, because it would be stripped.
ferry_link_flags=(--static-swift-stdlib --disable-local-rpath -debug-info-format none
    -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now -Xlinker -s)

# ferry_check_linking PROGRAM…: fails unless each program is linked with these options.
ferry_check_linking() {
    local program dynamic segments bad=0
    for program in "$@"; do
        dynamic=$(readelf -dW "$program") && segments=$(readelf -lW "$program") || ferry_die "$program is no program"
        ! grep -qE '\((RPATH|RUNPATH)\)' <<<"$dynamic" || { ferry_say "$program has a run path"; bad=1; }
        grep -qE 'BIND_NOW|FLAGS_1\).*NOW' <<<"$dynamic" || { ferry_say "$program is not bound at its start"; bad=1; }
        grep -q GNU_RELRO <<<"$segments" || { ferry_say "$program has no read-only relocations"; bad=1; }
        grep -qE 'DYN \(' <<<"$(readelf -hW "$program")" || { ferry_say "$program has a fixed address"; bad=1; }
        ! grep -qw .symtab <<<"$(readelf -SW "$program")" || { ferry_say "$program is not stripped"; bad=1; }
    done
    return "$bad"
}
