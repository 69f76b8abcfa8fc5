/* Numbers, and loops over few of them. */
#include "common.h"

void tiny(void **a) {
    const double *x = a[1], *y = a[2];
    double *found = a[3];
    *found = *y + cos(*x);
}

void both(void **a) {
    const double *x = a[1], *y = a[2];
    *(double *)a[3] = *y + cos(*x);
    *(double *)a[4] = *x;
}

/* The slopes of a chain come off the tape in vectors. */
void steps(void **a) {
    enum { MOST = 1000 };
    static double tape[2][MOST];
    long n = *(long *)a[0];
    double x = *(double *)a[1], slope = 1;
    for (long i = 0; i < n; i++) {
        double sine = sin(x);
        tape[0][i] = x;
        tape[1][i] = sine;
        x = sine * x + 0.001 * i;
    }
#pragma omp simd reduction(* : slope)
    for (long i = 0; i < n; i++) slope *= tape[1][i] + tape[0][i] * vcos(tape[0][i]);
    *(double *)a[2] = slope;
}
