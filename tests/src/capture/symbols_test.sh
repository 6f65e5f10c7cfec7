#!/bin/sh
# symbols_test.sh NM OBJDUMP LIBREPROSUM_CAPTURE LIBREPROSUM LIBREPROSUM_BLAS ARCHIVE "OBJECT;..."
# The library shows its interface alone and its code names nothing that prints, stops the process or
# reads stdin; the replaying libraries do not load it.
set -eu
nm=$1 objdump=$2 library=$3 replays=$4 drop_in=$5 archive=$6 objects=$7
failed=0
shown=$("$nm" -D --defined-only "$library" | awk '{print $NF}' | sort)
strange=$(echo "$shown" | grep -v '^reprosum_' || true)
[ -z "$strange" ] || { echo "$library shows:" && echo "$strange"; failed=1; }
for name in capture verify diff show spec_read spec_parse spec_json spec_free text_free \
            capture_last_error; do
  echo "$shown" | grep -qx "reprosum_$name" || { echo "$library hides reprosum_$name"; failed=1; }
done
forbidden='printf|fprintf|vprintf|vfprintf|puts|fputs|putchar|fputc|putc|perror|fwrite|abort|exit'
forbidden="$forbidden|_exit|quick_exit|scanf|getchar|gets|stdin|stdout|stderr|__assert_fail"
forbidden="$forbidden|__printf_chk|__fprintf_chk|_ZSt4cout|_ZSt4cerr|_ZSt4clog|_ZSt3cin"
found=$(echo "$archive;$objects" | tr ';' '\n' | xargs "$nm" -A -u | awk '{print $1, $NF}' |
  grep -E " ($forbidden)(@.*)?\$" || true)
[ -z "$found" ] || { echo "calls what the library must not call:" && echo "$found"; failed=1; }
for other in "$replays" "$drop_in"; do
  if "$objdump" -p "$other" | grep -q "NEEDED.*reprosum_capture"; then
    echo "$other loads the library of captures"
    failed=1
  fi
done
exit $failed
