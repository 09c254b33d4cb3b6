/* Numbers of the rig: reals, rows of four of them, and the few functions of mathematics that a step needs.
 * Nothing here needs the mathematical library but sqrt and fabs, which are single instructions.
 */
#ifndef RIG_MATH_H
#define RIG_MATH_H

#include <math.h>
#include <stddef.h>

#ifdef RIG_FLOAT32
typedef float real;
#define SQRT sqrtf
#define FABS fabsf
#else
typedef double real;
#define SQRT sqrt
#define FABS fabs
#endif

typedef struct { real v[4]; } row4;

/* Functions of rows are small and must be woven into the loops that call them. */
#if defined(__GNUC__)
#define RIG_INLINE static inline __attribute__((always_inline))
#else
#define RIG_INLINE static inline
#endif

static inline real max_real(real a, real b) { return a > b ? a : b; }
static inline real min_real(real a, real b) { return a < b ? a : b; }
static inline int max_int(int a, int b) { return a > b ? a : b; }
static inline int min_int(int a, int b) { return a < b ? a : b; }
static inline real fabs_real(real a) { return FABS(a); }
static inline real sqrt_real(real a) { return SQRT(a); }

/* x - x is 0 for every finite number, and not a number otherwise. */
static inline int is_finite(real x) { return (x - x) == 0; }

/* With RIG_SAME_BITS the rig is compared with the compiled run: exp and tanh are those of the mathematical library. */
#ifdef RIG_SAME_BITS
#define RIG_FUSED
#endif

/* a b + c. With RIG_FUSED it is rounded once, as in the compiled run (compile for a processor that has it: -mfma). */
RIG_INLINE real fma_real(real a, real b, real c)
{
#ifdef RIG_FUSED
    return (real)fma((double)a, (double)b, (double)c);
#else
    return a * b + c;
#endif
}

RIG_INLINE row4 row4_zero(void)
{
    const row4 r = {{0, 0, 0, 0}};
    return r;
}

RIG_INLINE row4 row4_load(const real *x)
{
    const row4 r = {{x[0], x[1], x[2], x[3]}};
    return r;
}

RIG_INLINE void row4_store(real *x, row4 y)
{
    x[0] = y.v[0];
    x[1] = y.v[1];
    x[2] = y.v[2];
    x[3] = y.v[3];
}

RIG_INLINE row4 row4_fma(row4 a, row4 b, row4 c)
{
    const row4 r = {{fma_real(a.v[0], b.v[0], c.v[0]), fma_real(a.v[1], b.v[1], c.v[1]),
                     fma_real(a.v[2], b.v[2], c.v[2]), fma_real(a.v[3], b.v[3], c.v[3])}};
    return r;
}

RIG_INLINE row4 row4_multiply(row4 a, row4 b)
{
    const row4 r = {{a.v[0] * b.v[0], a.v[1] * b.v[1], a.v[2] * b.v[2], a.v[3] * b.v[3]}};
    return r;
}

RIG_INLINE row4 row4_add(row4 a, row4 b)
{
    const row4 r = {{a.v[0] + b.v[0], a.v[1] + b.v[1], a.v[2] + b.v[2], a.v[3] + b.v[3]}};
    return r;
}

/* (y1, y0, y3, y2): every coordinate's partner, value and slope of a wire. */
RIG_INLINE row4 swapped(row4 y)
{
    const row4 r = {{y.v[1], y.v[0], y.v[3], y.v[2]}};
    return r;
}

RIG_INLINE row4 spread(real x)
{
    const row4 r = {{x, x, x, x}};
    return r;
}

RIG_INLINE row4 spread0(row4 y) { return spread(y.v[0]); }
RIG_INLINE row4 spread1(row4 y) { return spread(y.v[1]); }
RIG_INLINE row4 spread2(row4 y) { return spread(y.v[2]); }
RIG_INLINE row4 spread3(row4 y) { return spread(y.v[3]); }

/* exp(x) for x <= 0, to one unit in the last place: x = r - n ln 2, |r| <= (ln 2)/2, a Taylor sum of 14 terms, 2^-n. */
static inline real exponential(real x)
{
#ifdef RIG_SAME_BITS
    return (real)exp((double)x);
#else
    const double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
    double y = 1.0, half = 0.5, r;
    int n;
    if (x < (real)-700.0) {
        return 0;
    }
    n = (int)(0.5 - (double)x * 1.44269504088896340736);
    r = ((double)x + (double)n * ln2_high) + (double)n * ln2_low;
    for (int k = 14; k > 0; --k) {
        y = 1.0 + y * r / (double)k;
    }
    for (; n > 0; n >>= 1) {
        if ((n & 1) != 0) {
            y *= half;
        }
        half *= half;
    }
    return (real)y;
#endif
}

/* tanh(x) = (1 - e)/(1 + e), e = exp(-2|x|). */
static inline real hyperbolic_tangent(real x)
{
#ifdef RIG_SAME_BITS
    return (real)tanh((double)x);
#else
    const real e = exponential(-2 * fabs_real(x));
    const real t = (1 - e) / (1 + e);
    return x < 0 ? -t : t;
#endif
}

#endif
