/* Exact mode needs no spec; that the symbol is found is what is tested. */
double cblas_ddot(int n, const double* x, int incx, const double* y, int incy);

int main(void) { return cblas_ddot(0, 0, 1, 0, 1) == 0 ? 0 : 1; }
