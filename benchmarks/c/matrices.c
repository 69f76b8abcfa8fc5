/* Products of matrices, by BLAS where they are large. */
#include "common.h"

/* a[0] the extent, up to 256, and BLAS; x, y; to x, to y */
void matmul(void **a) {
    static double work[256 * 256];
    long *given = a[0];
    int n = given[0];
    dgemm_t gemm = (dgemm_t)given[1];
    product(gemm, 'N', 'N', n, n, n, 2, a[1], a[2], work);
    product(gemm, 'N', 'T', n, n, n, 1, work, a[2], a[3]);
    product(gemm, 'T', 'N', n, n, n, 1, a[1], work, a[4]);
}

enum { BATCH = 64, PIXELS = 784, INNER = 128, OUTER = 64, CLASSES = 10 };

static void activated(array x, const double *restrict bias, int width) {
    for (int b = 0; b < BATCH; b++)
        SIMD for (int i = 0; i < width; i++) x[b * width + i] = vtanh(x[b * width + i] + bias[i]);
}

static void behind(array pulled, const double *restrict y, int width, array bias) {
    memset(bias, 0, width * sizeof(double));
    for (int b = 0; b < BATCH; b++)
        SIMD for (int i = 0; i < width; i++) {
            double at = y[b * width + i], found = pulled[b * width + i] * (1 - at * at);
            pulled[b * width + i] = found;
            bias[i] += found;
        }
}

/* first, one, second, two, third, three, images, labels; their six cotangents */
void mlp(void **a) {
    static double inner[BATCH * INNER], outer[BATCH * OUTER], scores[BATCH * CLASSES];
    static double above[BATCH * OUTER], below[BATCH * INNER];
    dgemm_t gemm = (dgemm_t)((long *)a[0])[1];
    const double *restrict three = a[6], *restrict labels = a[8];
    array to_three = a[14];
    product(gemm, 'N', 'N', BATCH, PIXELS, INNER, 1, a[7], a[1], inner);
    activated(inner, a[2], INNER);
    product(gemm, 'N', 'N', BATCH, INNER, OUTER, 1, inner, a[3], outer);
    activated(outer, a[4], OUTER);
    product(gemm, 'N', 'N', BATCH, OUTER, CLASSES, 1, outer, a[5], scores);
    memset(to_three, 0, CLASSES * sizeof(double));
    for (int b = 0; b < BATCH; b++) {
        double *row = scores + b * CLASSES, most = -INFINITY, total = 0;
        for (int i = 0; i < CLASSES; i++) row[i] += three[i], most = fmax(most, row[i]);
        SIMD for (int i = 0; i < CLASSES; i++) row[i] = vexp(row[i] - most);
        for (int i = 0; i < CLASSES; i++) total += row[i];
        for (int i = 0; i < CLASSES; i++) {
            row[i] = (row[i] / total - labels[b * CLASSES + i]) / BATCH;
            to_three[i] += row[i];
        }
    }
    product(gemm, 'N', 'T', BATCH, CLASSES, OUTER, 1, scores, a[5], above);
    behind(above, outer, OUTER, a[12]);
    product(gemm, 'N', 'T', BATCH, OUTER, INNER, 1, above, a[3], below);
    behind(below, inner, INNER, a[10]);
    product(gemm, 'T', 'N', PIXELS, BATCH, INNER, 1, a[7], below, a[9]);
    product(gemm, 'T', 'N', INNER, BATCH, OUTER, 1, inner, above, a[11]);
    product(gemm, 'T', 'N', OUTER, BATCH, CLASSES, 1, outer, scores, a[13]);
}

enum { STEPS = 32, ROWS = 8, INPUTS = 4, HIDDEN = 32, ALL = 4 * HIDDEN, GATES = 3 * HIDDEN };

/* first, again, bias, xs; their first three cotangents */
void lstm(void **a) {
    static double gates[STEPS][ROWS][ALL], given[STEPS][ROWS][ALL], pulled[STEPS][ROWS][ALL];
    static double hidden[STEPS + 1][ROWS][HIDDEN], memory[STEPS + 1][ROWS][HIDDEN];
    static double outs[STEPS][ROWS][HIDDEN], back[ALL][HIDDEN];
    dgemm_t gemm = (dgemm_t)((long *)a[0])[1];
    const double(*restrict again)[ALL] = a[2], *restrict bias = a[3];
    array to_bias = a[7];
    product(gemm, 'N', 'N', STEPS * ROWS, INPUTS, ALL, 1, a[4], a[1], **given);
    for (int i = 0; i < HIDDEN; i++)
        for (int j = 0; j < ALL; j++) back[j][i] = again[i][j];
    for (int t = 0; t < STEPS; t++)
        for (int b = 0; b < ROWS; b++) {
            double now[ALL], *restrict gate = gates[t][b];
            for (int j = 0; j < ALL; j++) now[j] = given[t][b][j] + bias[j];
            for (int k = 0; k < HIDDEN; k++)
                for (int j = 0; j < ALL; j++) now[j] += hidden[t][b][k] * again[k][j];
            SIMD for (int j = 0; j < GATES; j++) gate[j] = 0.5 * (vtanh(0.5 * now[j]) + 1);
            SIMD for (int j = GATES; j < ALL; j++) gate[j] = vtanh(now[j]);
            SIMD for (int j = 0; j < HIDDEN; j++) {
                double kept = gate[j] * memory[t][b][j] + gate[HIDDEN + j] * gate[GATES + j];
                double out = vtanh(kept);
                memory[t + 1][b][j] = kept;
                outs[t][b][j] = out;
                hidden[t + 1][b][j] = gate[2 * HIDDEN + j] * out;
            }
        }
    double to_hidden[ROWS][HIDDEN], to_memory[ROWS][HIDDEN] = {0}, sums[ALL] = {0};
    for (int b = 0; b < ROWS; b++)
        for (int j = 0; j < HIDDEN; j++) to_hidden[b][j] = 2 * hidden[STEPS][b][j];
    for (int t = STEPS - 1; t >= 0; t--)
        for (int b = 0; b < ROWS; b++) {
            const double *restrict gate = gates[t][b];
            double *restrict now = pulled[t][b], next[HIDDEN] = {0};
            for (int j = 0; j < HIDDEN; j++) {
                double f = gate[j], w = gate[HIDDEN + j], r = gate[2 * HIDDEN + j];
                double new = gate[GATES + j], out = outs[t][b][j], h = to_hidden[b][j];
                double m = to_memory[b][j] + h * r * (1 - out * out);
                now[j] = m * memory[t][b][j] * f * (1 - f);
                now[HIDDEN + j] = m * new * w * (1 - w);
                now[2 * HIDDEN + j] = h * out * r * (1 - r);
                now[GATES + j] = m * w * (1 - new * new);
                to_memory[b][j] = m * f;
            }
            for (int j = 0; j < ALL; j++) sums[j] += now[j];
            for (int k = 0; k < ALL; k++)
                for (int j = 0; j < HIDDEN; j++) next[j] += now[k] * back[k][j];
            memcpy(to_hidden[b], next, sizeof next);
        }
    memcpy(to_bias, sums, sizeof sums);
    product(gemm, 'T', 'N', INPUTS, STEPS * ROWS, ALL, 1, a[4], **pulled, a[5]);
    product(gemm, 'T', 'N', HIDDEN, STEPS * ROWS, ALL, 1, **hidden, **pulled, a[6]);
}
