# How Ferry's programs are linked for use. Sourced by the other scripts after packages.bash.

# No run path: a program would load libraries that lie in its own folder, where a download may have put one of that name.
# relro and now: what the loader has filled in cannot be written to afterwards. -s: no names but those that are needed;
# debug information would be made for nothing.
ferry_link_flags=(--static-swift-stdlib --disable-local-rpath -debug-info-format none
    -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now -Xlinker -s)

# ferry_check_linking PROGRAM…: fails unless each is linked so.
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
