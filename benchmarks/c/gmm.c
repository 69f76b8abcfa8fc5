/* ADBench's Gaussian mixture model: a point after the other, the components side by side. */
#include "common.h"

enum { MOST = 32, DEEPEST = 10 };

/* a[0] the numbers of points, components (up to 32) and dimensions (up to 10); the logarithms of
   weights, means, factors, points; their first three cotangents. */
void gmm(void **a) {
    static double q[DEEPEST][DEEPEST][MOST], mean[DEEPEST][MOST], base[MOST];
    static double to_q[DEEPEST][DEEPEST][MOST], sums[DEEPEST][MOST], counts[MOST];
    const long *given = a[0];
    int n = given[0], k = given[1], d = given[2], width = d + d * (d - 1) / 2;
    const double *restrict weights = a[1], *restrict means = a[2], *restrict factors = a[3];
    const double *restrict points = a[4];
    array to_weights = a[5], to_means = a[6], to_factors = a[7];
    memset(to_q, 0, sizeof to_q);
    memset(sums, 0, sizeof sums);
    memset(counts, 0, sizeof counts);
    for (int c = 0; c < MOST; c++) base[c] = -INFINITY;
    double most = -INFINITY, total = 0;
    for (int c = 0; c < k; c++) {
        const double *own = factors + c * width, *below = own + d;
        base[c] = weights[c];
        most = fmax(most, weights[c]);
        for (int j = 0; j < d; j++) {
            base[c] += own[j];
            mean[j][c] = means[c * d + j];
            q[j][j][c] = exp(own[j]);
            for (int i = j + 1; i < d; i++) q[i][j][c] = *below++;
        }
    }
    for (int p = 0; p < n; p++) {
        const double *restrict x = points + p * d;
        double centred[DEEPEST][MOST], moved[DEEPEST][MOST], share[MOST], at = -INFINITY, sum = 0;
        SIMD for (int c = 0; c < MOST; c++) share[c] = base[c];
        for (int i = 0; i < d; i++) {
            double now[MOST] = {0};
            SIMD for (int c = 0; c < MOST; c++) centred[i][c] = x[i] - mean[i][c];
            for (int j = 0; j <= i; j++)
                SIMD for (int c = 0; c < MOST; c++) now[c] += q[i][j][c] * centred[j][c];
            SIMD for (int c = 0; c < MOST; c++) {
                share[c] -= 0.5 * now[c] * now[c];
                moved[i][c] = now[c];
            }
        }
#pragma omp simd reduction(max : at)
        for (int c = 0; c < MOST; c++) at = share[c] > at ? share[c] : at;
#pragma omp simd reduction(+ : sum)
        for (int c = 0; c < MOST; c++) share[c] = vexp(share[c] - at), sum += share[c];
        double inverse = 1 / sum;
        SIMD for (int c = 0; c < MOST; c++) share[c] *= inverse, counts[c] += share[c];
        for (int i = 0; i < d; i++) {
            double now[MOST];
            SIMD for (int c = 0; c < MOST; c++) {
                now[c] = -share[c] * moved[i][c];
                sums[i][c] += now[c];
            }
            for (int j = 0; j <= i; j++)
                SIMD for (int c = 0; c < MOST; c++) to_q[i][j][c] += now[c] * centred[j][c];
        }
    }
    for (int c = 0; c < k; c++) total += exp(weights[c] - most);
    for (int c = 0; c < k; c++) {
        const double *own = factors + c * width, *below = own + d;
        double *to_own = to_factors + c * width, *to_below = to_own + d;
        to_weights[c] = counts[c] - n * exp(weights[c] - most) / total;
        for (int j = 0; j < d; j++) {
            double scale = q[j][j][c], found = -sums[j][c] * scale;
            to_own[j] = to_q[j][j][c] * scale + counts[c] - scale * scale;
            for (int i = j + 1; i < d; i++) {
                found -= sums[i][c] * q[i][j][c];
                *to_below++ = to_q[i][j][c] - *below++;
            }
            to_means[c * d + j] = found;
        }
    }
}
