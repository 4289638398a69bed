# is WHAT EXPECTED ACTUAL: ends the test where the two differ.
shop=.
is() {
    [ "$2" = "$3" ] && return
    printf '%s: expected %s, got %s\n' "$1" "$2" "$3"
    exit 1
}
