/* ADBench's bundle adjustment: observations in blocks, whose rows become columns and rows again. */
#include "common.h"

enum { BLOCK = 64, CAMERA = 11, POINT = 3 };

typedef double column[BLOCK];

typedef struct {
    column camera[CAMERA], point[POINT], seen[2], weight;
    column u[3], moved[3], cross[3], cosine, sine, inverse, along, dot, depth, p[2], off[2];
    column radius, lens, to_camera[CAMERA], to_point[POINT], to_weight;
} block;

static void forward(block *restrict b) {
    SIMD for (int i = 0; i < BLOCK; i++) {
        double r0 = b->camera[0][i], r1 = b->camera[1][i], r2 = b->camera[2][i];
        double a0 = b->point[0][i] - b->camera[3][i], a1 = b->point[1][i] - b->camera[4][i];
        double a2 = b->point[2][i] - b->camera[5][i];
        double angle = sqrt(r0 * r0 + r1 * r1 + r2 * r2), inverse = 1 / angle;
        double cosine = vcos(angle), sine = vsin(angle);
        double u0 = r0 * inverse, u1 = r1 * inverse, u2 = r2 * inverse;
        double x0 = u1 * a2 - u2 * a1, x1 = u2 * a0 - u0 * a2, x2 = u0 * a1 - u1 * a0;
        double dot = u0 * a0 + u1 * a1 + u2 * a2, along = dot * (1 - cosine);
        double depth = 1 / (a2 * cosine + x2 * sine + u2 * along);
        double p0 = (a0 * cosine + x0 * sine + u0 * along) * depth;
        double p1 = (a1 * cosine + x1 * sine + u1 * along) * depth;
        double radius = p0 * p0 + p1 * p1;
        double lens = 1 + radius * (b->camera[9][i] + b->camera[10][i] * radius);
        b->u[0][i] = u0, b->u[1][i] = u1, b->u[2][i] = u2;
        b->moved[0][i] = a0, b->moved[1][i] = a1, b->moved[2][i] = a2;
        b->cross[0][i] = x0, b->cross[1][i] = x1, b->cross[2][i] = x2;
        b->cosine[i] = cosine, b->sine[i] = sine, b->inverse[i] = inverse;
        b->along[i] = along, b->dot[i] = dot, b->depth[i] = depth;
        b->p[0][i] = p0, b->p[1][i] = p1, b->radius[i] = radius, b->lens[i] = lens;
        double scaled = lens * b->camera[6][i];
        b->off[0][i] = p0 * scaled + b->camera[7][i] - b->seen[0][i];
        b->off[1][i] = p1 * scaled + b->camera[8][i] - b->seen[1][i];
    }
}

/* The cotangents of a block, of g0 * across + g1 * down. */
static inline void pulled(block *restrict b, double g0, double g1, int squared) {
    SIMD for (int i = 0; i < BLOCK; i++) {
        double w = b->weight[i], e0 = g0 * w, e1 = g1 * w;
        double to_weight = g0 * b->off[0][i] + g1 * b->off[1][i];
        if (squared) {
            double t0 = 2 * w * b->off[0][i], t1 = 2 * w * b->off[1][i];
            to_weight = t0 * b->off[0][i] + t1 * b->off[1][i] - 4 * w * (1 - w * w);
            e0 = t0 * w, e1 = t1 * w;
        }
        double focal = b->camera[6][i], k1 = b->camera[9][i], k2 = b->camera[10][i];
        double p0 = b->p[0][i], p1 = b->p[1][i], radius = b->radius[i], lens = b->lens[i];
        double both = e0 * p0 + e1 * p1, to_lens = both * focal, to_k1 = to_lens * radius;
        double to_radius = 2 * to_lens * (k1 + 2 * k2 * radius), scaled = lens * focal;
        double depth = b->depth[i], u0 = b->u[0][i], u1 = b->u[1][i], u2 = b->u[2][i];
        double a0 = b->moved[0][i], a1 = b->moved[1][i], a2 = b->moved[2][i];
        double t0 = (e0 * scaled + p0 * to_radius) * depth;
        double t1 = (e1 * scaled + p1 * to_radius) * depth, t2 = -(t0 * p0 + t1 * p1);
        double cosine = b->cosine[i], sine = b->sine[i], inverse = b->inverse[i];
        double to_along = t0 * u0 + t1 * u1 + t2 * u2, to_dot = to_along * (1 - cosine);
        double to_cosine = t0 * a0 + t1 * a1 + t2 * a2 - to_along * b->dot[i];
        double to_sine = t0 * b->cross[0][i] + t1 * b->cross[1][i] + t2 * b->cross[2][i];
        double v0 = t0 * sine, v1 = t1 * sine, v2 = t2 * sine, along = b->along[i];
        double n0 = t0 * cosine + v1 * u2 - v2 * u1 + to_dot * u0;
        double n1 = t1 * cosine + v2 * u0 - v0 * u2 + to_dot * u1;
        double n2 = t2 * cosine + v0 * u1 - v1 * u0 + to_dot * u2;
        double m0 = a1 * v2 - a2 * v1 + t0 * along + to_dot * a0;
        double m1 = a2 * v0 - a0 * v2 + t1 * along + to_dot * a1;
        double m2 = a0 * v1 - a1 * v0 + t2 * along + to_dot * a2;
        double to_angle = to_sine * cosine - to_cosine * sine;
        to_angle -= (m0 * u0 + m1 * u1 + m2 * u2) * inverse;
        b->to_camera[0][i] = m0 * inverse + to_angle * u0;
        b->to_camera[1][i] = m1 * inverse + to_angle * u1;
        b->to_camera[2][i] = m2 * inverse + to_angle * u2;
        b->to_camera[3][i] = -n0, b->to_camera[4][i] = -n1, b->to_camera[5][i] = -n2;
        b->to_camera[6][i] = both * lens, b->to_camera[7][i] = e0, b->to_camera[8][i] = e1;
        b->to_camera[9][i] = to_k1, b->to_camera[10][i] = to_k1 * radius;
        b->to_point[0][i] = n0, b->to_point[1][i] = n1, b->to_point[2][i] = n2;
        b->to_weight[i] = to_weight;
    }
}

/* a[0] the numbers of observations, cameras and points; cameras, points, weights, seen */
static void filled(block *b, void **a, long start, int count, long cameras, long points) {
    const double *camera = a[1], *point = a[2], *weight = a[3], *seen = a[4];
    for (int i = 0; i < BLOCK; i++) {
        long at = start + (i < count ? i : 0);
        for (int c = 0; c < CAMERA; c++) b->camera[c][i] = camera[at % cameras * CAMERA + c];
        for (int c = 0; c < POINT; c++) b->point[c][i] = point[at % points * POINT + c];
        b->seen[0][i] = seen[2 * at], b->seen[1][i] = seen[2 * at + 1];
        b->weight[i] = weight[at];
    }
}

/* Both rows of all blocks: every observation has its own camera and point. */
void jacobian(void **a) {
    static block b;
    long n = *(long *)a[0];
    double *cameras = a[5], *points = a[6], *weights = a[7];
    for (long start = 0; start < n; start += BLOCK) {
        int count = n - start < BLOCK ? n - start : BLOCK;
        filled(&b, a, start, count, n, n);
        forward(&b);
        for (int row = 0; row < 2; row++) {
            if (row) pulled(&b, 0, 1, 0);
            else pulled(&b, 1, 0, 0);
            for (int i = 0; i < count; i++) {
                long at = row * n + start + i;
                for (int c = 0; c < CAMERA; c++) cameras[at * CAMERA + c] = b.to_camera[c][i];
                for (int c = 0; c < POINT; c++) points[at * POINT + c] = b.to_point[c][i];
                weights[at] = b.to_weight[i];
            }
        }
    }
}

/* Of the sum of all squared errors: observation i is of camera i % 49 and of point i % 7776. */
void gradient(void **a) {
    static block b;
    const long *given = a[0];
    long n = given[0];
    double *cameras = a[5], *points = a[6], *weights = a[7];
    memset(cameras, 0, given[1] * CAMERA * sizeof(double));
    memset(points, 0, given[2] * POINT * sizeof(double));
    for (long start = 0; start < n; start += BLOCK) {
        int count = n - start < BLOCK ? n - start : BLOCK;
        filled(&b, a, start, count, given[1], given[2]);
        forward(&b);
        pulled(&b, 0, 0, 1);
        for (int i = 0; i < count; i++) {
            long at = start + i;
            double *camera = cameras + at % given[1] * CAMERA, *point = points + at % given[2] * POINT;
            for (int c = 0; c < CAMERA; c++) camera[c] += b.to_camera[c][i];
            for (int c = 0; c < POINT; c++) point[c] += b.to_point[c][i];
            weights[at] = b.to_weight[i];
        }
    }
}
