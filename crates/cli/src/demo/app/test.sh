#!/bin/sh
# Runs all tests, or those that are named, for example: sh test.sh duration
cd "$(dirname "$0")" || exit 1
named=" $* "
n_run=0
n_failed=0
for file in tests/*_test.sh; do
    [ -e "$file" ] || continue
    name=${file#tests/}
    name=${name%_test.sh}
    if [ $# -gt 0 ]; then
        case $named in *" $name "*) ;; *) continue ;; esac
    fi
    n_run=$((n_run + 1))
    if output=$(sh "$file" 2>&1); then
        echo "ok    $name"
    else
        n_failed=$((n_failed + 1))
        printf 'FAIL  %s\n%s\n' "$name" "$output"
    fi
done
if [ "$n_run" -lt $# ]; then
    echo "FAIL  no test for $*"
    exit 1
fi
[ "$n_failed" -eq 0 ]
