#!/bin/sh
# symbols_test.sh NM LIBREPROSUM ARCHIVE... "OBJECT;OBJECT;..."
# Our code names nothing that prints, stops the process or reads stdin, and the shared library
# shows nothing but its interface.
set -eu
nm=$1 library=$2
shift 2

forbidden='printf|fprintf|vprintf|vfprintf|puts|fputs|putchar|fputc|putc|perror|fwrite|abort|exit'
forbidden="$forbidden|_exit|quick_exit|scanf|getchar|gets|stdin|stdout|stderr|__assert_fail"
forbidden="$forbidden|__printf_chk|__fprintf_chk|__vfprintf_chk"
forbidden="$forbidden|_ZSt4cout|_ZSt4cerr|_ZSt4clog|_ZSt3cin"
forbidden="$forbidden|_ZN4llvm4errsEv|_ZN4llvm4outsEv"

failed=0
for files in "$@"; do
  # A list of objects comes as one argument with semicolons.
  names=$(printf '%s' "$files" | tr ';' '\n')
  found=$(printf '%s\n' "$names" | xargs "$nm" -A -u | awk '{print $1, $NF}' |
    grep -E " ($forbidden)(@.*)?\$" || true)
  if [ -n "$found" ]; then
    echo "calls what the library must not call:" && echo "$found"
    failed=1
  fi
  count=$(printf '%s\n' "$names" | xargs "$nm" -u | grep -c ' U ' || true)
  [ "$count" -gt 0 ] || { echo "nm saw nothing in $files"; failed=1; }
done

shown() { "$nm" -D --defined-only "$1" | awk '{print $NF}' | sort; }
strange=$(shown "$library" | grep -v '^reprosum_' || true)
[ -z "$strange" ] || { echo "$library shows:" && echo "$strange"; failed=1; }
shown "$library" | grep -qx reprosum_ddot || { echo "$library hides reprosum_ddot"; failed=1; }
exit $failed
