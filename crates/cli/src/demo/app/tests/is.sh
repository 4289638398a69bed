# is NAME EXPECTED ACTUAL: fails the test if the values differ.
app=.
is() {
    [ "$2" = "$3" ] && return
    printf '%s: expected %s, got %s\n' "$1" "$2" "$3"
    exit 1
}
