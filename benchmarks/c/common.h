/* What all have in common: an argument is an array of pointers, inputs first. Vector functions are
   glibc's libmvec, declared one by one: nan and inf stay what they are. */
#include <math.h>
#include <string.h>

#define VECTOR _Pragma("omp declare simd notinbranch") extern
VECTOR double vsin(double) __asm__("sin");
VECTOR double vcos(double) __asm__("cos");
VECTOR double vexp(double) __asm__("exp");
VECTOR double vlog(double) __asm__("log");
VECTOR double vtanh(double) __asm__("tanh");
#define SIMD _Pragma("omp simd")

typedef double *restrict array;
typedef void (*dgemm_t)(char *, char *, int *, int *, int *, double *, double *, int *, double *,
                        int *, double *, double *, int *);

/* z = alpha op(x) op(y), all in rows: columns of BLAS are rows of C, so that it computes zᵀ. */
static inline void product(dgemm_t gemm, char tx, char ty, int m, int k, int n, double alpha,
                           double *x, double *y, double *z) {
    int lx = tx == 'N' ? k : m, ly = ty == 'N' ? n : k;
    double none = 0;
    gemm(&ty, &tx, &n, &m, &k, &alpha, y, &ly, x, &lx, &none, z, &n);
}
