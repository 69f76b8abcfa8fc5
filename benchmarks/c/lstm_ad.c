/* ADBench's LSTM: two layers of diagonal weights, of 14 numbers filled to 16. */
#include "common.h"

enum { LAYERS = 2, WIDTH = 14, WIDE = 16, MOST = 1024 };
typedef double row[WIDE];
typedef struct {
    row given, f, o, p, g, before, old, out;
} kept;

/* a[0] the letters; weights of the layers and around them, the state, the letters; two cotangents */
void lstm_ad(void **a) {
    static kept tape[MOST][LAYERS];
    static row tops[MOST], shares[MOST];
    long n = *(long *)a[0] - 1;
    const double *main_ = a[1], *around_ = a[2], *state = a[3], *letters = a[4];
    row w[LAYERS][2][4] = {0}, to[LAYERS][2][4] = {0}, around[3] = {0}, to_around[3] = {0};
    row h[LAYERS] = {0}, c[LAYERS] = {0}, to_h[LAYERS] = {0}, to_c[LAYERS] = {0};
    for (int i = 0; i < WIDTH; i++) {
        for (int r = 0; r < 3; r++) around[r][i] = around_[r * WIDTH + i];
        for (int l = 0; l < LAYERS; l++) {
            h[l][i] = state[2 * l * WIDTH + i], c[l][i] = state[(2 * l + 1) * WIDTH + i];
            for (int s = 0; s < 2; s++)
                for (int r = 0; r < 4; r++) w[l][s][r][i] = main_[((2 * l + s) * 4 + r) * WIDTH + i];
        }
    }
    for (long t = 0; t < n; t++) {
        row given = {0}, said, power;
        double total = 2;
        for (int i = 0; i < WIDTH; i++) given[i] = letters[t * WIDTH + i] * around[0][i];
        for (int l = 0; l < LAYERS; l++) {
            kept *restrict k = &tape[t][l];
            SIMD for (int i = 0; i < WIDE; i++) {
                double x = given[i], y = h[l][i];
                double f = 0.5 * (vtanh(0.5 * (x * w[l][0][0][i] + w[l][1][0][i])) + 1);
                double p = 0.5 * (vtanh(0.5 * (y * w[l][0][1][i] + w[l][1][1][i])) + 1);
                double o = 0.5 * (vtanh(0.5 * (x * w[l][0][2][i] + w[l][1][2][i])) + 1);
                double g = vtanh(y * w[l][0][3][i] + w[l][1][3][i]);
                k->given[i] = x, k->old[i] = y, k->before[i] = c[l][i];
                k->f[i] = f, k->p[i] = p, k->o[i] = o, k->g[i] = g;
                double memory = c[l][i] * f + p * g, out = vtanh(memory);
                c[l][i] = memory, k->out[i] = out;
                h[l][i] = given[i] = o * out;
            }
        }
        SIMD for (int i = 0; i < WIDE; i++) {
            said[i] = given[i] * around[1][i] + around[2][i];
            power[i] = vexp(said[i]);
            tops[t][i] = given[i];
        }
        for (int i = 0; i < WIDTH; i++) total += power[i];
        for (int i = 0; i < WIDE; i++) shares[t][i] = power[i] / total;
    }
    double scale = -1.0 / (n * WIDTH);
    for (long t = n - 1; t >= 0; t--) {
        row letter = {0}, after = {0}, pulled;
        double sum = 0;
        memcpy(letter, letters + t * WIDTH, WIDTH * sizeof(double));
        memcpy(after, letters + (t + 1) * WIDTH, WIDTH * sizeof(double));
        for (int i = 0; i < WIDTH; i++) sum += after[i];
        for (int i = 0; i < WIDE; i++) {
            double at = scale * (after[i] - sum * shares[t][i]);
            to_around[1][i] += at * tops[t][i], to_around[2][i] += at;
            pulled[i] = at * around[1][i];
        }
        for (int l = LAYERS - 1; l >= 0; l--) {
            const kept *restrict k = &tape[t][l];
            for (int i = 0; i < WIDE; i++) {
                double f = k->f[i], p = k->p[i], o = k->o[i], g = k->g[i], out = k->out[i];
                double x = pulled[i] + to_h[l][i], m = to_c[l][i] + x * o * (1 - out * out);
                double tf = m * k->before[i] * f * (1 - f), tp = m * g * p * (1 - p);
                double to_o = x * out * o * (1 - o), tg = m * p * (1 - g * g);
                to[l][0][0][i] += tf * k->given[i], to[l][1][0][i] += tf;
                to[l][0][1][i] += tp * k->old[i], to[l][1][1][i] += tp;
                to[l][0][2][i] += to_o * k->given[i], to[l][1][2][i] += to_o;
                to[l][0][3][i] += tg * k->old[i], to[l][1][3][i] += tg;
                to_c[l][i] = m * f;
                to_h[l][i] = tp * w[l][0][1][i] + tg * w[l][0][3][i];
                pulled[i] = tf * w[l][0][0][i] + to_o * w[l][0][2][i];
            }
        }
        for (int i = 0; i < WIDE; i++) to_around[0][i] += pulled[i] * letter[i];
    }
    double *to_main = a[5], *to_rest = a[6];
    for (int i = 0; i < WIDTH; i++) {
        for (int r = 0; r < 3; r++) to_rest[r * WIDTH + i] = to_around[r][i];
        for (int l = 0; l < LAYERS; l++)
            for (int s = 0; s < 2; s++)
                for (int r = 0; r < 4; r++)
                    to_main[((2 * l + s) * 4 + r) * WIDTH + i] = to[l][s][r][i];
    }
}
