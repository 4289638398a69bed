#!/bin/sh
# Runs the tests: all of them, or those that are named, as in: sh test.sh money
cd "$(dirname "$0")" || exit 1
wanted=" $* "
n_run=0
n_failed=0
for file in tests/*_test.sh; do
    [ -e "$file" ] || continue
    name=${file#tests/}
    name=${name%_test.sh}
    if [ $# -gt 0 ]; then
        case $wanted in *" $name "*) ;; *) continue ;; esac
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
