/* What a stranger would have a set-uid program load. */
#include <stdio.h>

__attribute__((constructor)) static void run(void) { puts("the stranger's code runs"); }
double ddot_(void) { return 666; }
void drot_(void) { puts("the stranger's code is called"); }
