/* Vectors of any length: a[0] the length, then the arrays. */
#include "common.h"

void repeat(void (*f)(void **), void **a, long count) {
    for (long i = 0; i < count; i++) f(a);
}

void dot(void **a) {
    size_t size = *(long *)a[0] * sizeof(double);
    memcpy(a[3], a[2], size);
    memcpy(a[4], a[1], size);
}

void total(void **a) {
    long n = *(long *)a[0];
    array found = a[2];
    SIMD for (long i = 0; i < n; i++) found[i] = 1;
}

/* Products of what stands before and behind, in eight chains of neighbouring blocks. */
void prod(void **a) {
    enum { CHAINS = 8 };
    long n = *(long *)a[0], size = n / CHAINS, whole = size * CHAINS;
    const double *restrict x = a[1];
    array found = a[2];
    double block[CHAINS], before[CHAINS], behind[CHAINS], left = 1, right = 1;
    for (int c = 0; c < CHAINS; c++) {
        double lanes[8] = {1, 1, 1, 1, 1, 1, 1, 1}, more[8] = {1, 1, 1, 1, 1, 1, 1, 1}, p = 1;
        const double *own = x + c * size;
        long i = 0;
        for (; i + 16 <= size; i += 16)
            for (int l = 0; l < 8; l++) lanes[l] *= own[i + l], more[l] *= own[i + 8 + l];
        for (; i < size; i++) p *= own[i];
        for (int l = 0; l < 8; l++) p *= lanes[l] * more[l];
        block[c] = p;
    }
    for (int c = 0; c < CHAINS; c++) before[c] = left, left *= block[c];
    for (long i = whole; i < n; i++) found[i] = left, left *= x[i];
    for (long i = n - 1; i >= whole; i--) found[i] *= right, right *= x[i];
    for (int c = CHAINS - 1; c >= 0; c--) behind[c] = right, right *= block[c];
    for (long i = 0; i < size; i++)
        for (int c = 0; c < CHAINS; c++)
            found[c * size + i] = before[c], before[c] *= x[c * size + i];
    for (long i = size - 1; i >= 0; i--)
        for (int c = 0; c < CHAINS; c++)
            found[c * size + i] *= behind[c], behind[c] *= x[c * size + i];
}

void chain(void **a) {
    long n = *(long *)a[0];
    const double *restrict x = a[1];
    array found = a[2];
    SIMD for (long i = 0; i < n; i++) {
        double at = x[i], square = at * at, decay = vexp(-square);
        found[i] = decay * (vcos(at) - 2 * at * vsin(at)) + 2 * at / (1 + square);
    }
}

void convolved(void **a) {
    long n = *(long *)a[0];
    const double *restrict x = a[1];
    array found = a[2];
    SIMD for (long i = 0; i < n; i++) found[i] = 2 * x[n - 1 - i];
}

void hvp(void **a) {
    long n = *(long *)a[0];
    const double *restrict x = a[1], *restrict along = a[2];
    array found = a[3];
    found[0] = (1200 * x[0] * x[0] - 400 * x[1] + 2) * along[0] - 400 * x[0] * along[1];
    SIMD for (long i = 1; i < n - 1; i++)
        found[i] = (1200 * x[i] * x[i] - 400 * x[i + 1] + 202) * along[i] -
                   400 * (x[i] * along[i + 1] + x[i - 1] * along[i - 1]);
    found[n - 1] = 200 * along[n - 1] - 400 * x[n - 2] * along[n - 2];
}

void hessian(void **a) {
    long n = *(long *)a[0];
    const double *restrict x = a[1];
    array found = a[2];
    memset(found, 0, n * n * sizeof(double));
    for (long i = 0; i < n - 1; i++) {
        double *at = found + i * (n + 1);
        at[0] = 1200 * x[i] * x[i] - 400 * x[i + 1] + (i ? 202 : 2);
        at[1] = at[n] = -400 * x[i];
    }
    found[n * n - 1] = 200;
}
