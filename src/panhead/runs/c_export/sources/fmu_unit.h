/* One instance of the rig as a functional mock-up unit; all variables are reals in one row of values. */
#ifndef FMU_UNIT_H
#define FMU_UNIT_H

#include "rig_@NAME@.h"

#include <stdlib.h>
#include <string.h>

#define TOKEN "@TOKEN@"

#if defined(_WIN32)
#define FMI_EXPORT __declspec(dllexport)
#else
#define FMI_EXPORT
#endif

/* The standards fix what a function is given, whether or not it needs it. */
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif

/* Places of the variables in the row of values: they are the value references. */
enum {
@if motion
    INPUTS = 4 * HEADS, /* of every strip: height, rate, and how both change */
    DELAY = INPUTS,
    FIRST_OUTPUT = INPUTS + 1,
@end
@if force pantograph
    INPUTS = 2 * HEADS, /* of every strip: force, and how it changes */
    FIRST_OUTPUT = INPUTS,
@end
@if closed
    FIRST_OUTPUT = 0,
@end
@if closed motion force
    PER_STRIP = 6,
    SLACK = FIRST_OUTPUT + PER_STRIP * HEADS,
    FLAGS = SLACK + 1,
@end
@if pantograph
    PER_STRIP = 4,
    FLAGS = FIRST_OUTPUT + PER_STRIP * HEADS,
@end
    VALUES = FLAGS + 1
};

struct unit {
    struct rig_@NAME@ rig;
    double values[VALUES];
};

static void start_unit(struct unit *unit)
{
    (void)memset(unit, 0, sizeof *unit);
    rig_@NAME@_start(&unit->rig);
@if motion
    for (int p = 0; p < HEADS; ++p) {
        unit->values[4 * p] = (double)RIG_REST_HEIGHT;
    }
@end
}

/* Take all steps of one exchange; inputs change evenly in it. Returns 0, or 1 if the exchange is no number of steps. */
static int advance_unit(struct unit *unit, double exchange)
{
    const double h = (double)rig_@NAME@_h;
    const int steps = (int)(exchange / h + 0.5);
    const double off = exchange - (double)steps * h;
    double *v = unit->values;
    int flags = 0;
    struct rig_@NAME@_input in;
    struct rig_@NAME@_output out;
    if ((steps < 1) || (off > 1e-6 * h) || (off < -1e-6 * h)) {
        return 1;
    }
    for (int n = 1; n <= steps; ++n) {
        rig_@NAME@_timetable(unit->rig.step + 1, &in);
        for (int p = 0; p < HEADS; ++p) {
@if motion
            in.height[p] = (real)(v[4 * p] + v[4 * p + 2] * (double)n * h);
            in.rate[p] = (real)(v[4 * p + 1] + v[4 * p + 3] * (double)n * h);
@end
@if force pantograph
            in.force[p] = (real)(v[2 * p] + v[2 * p + 1] * (double)n * h);
@end
        }
@if motion
        in.delay = (real)v[DELAY];
@end
        flags |= rig_@NAME@_step(&unit->rig, &in, &out);
    }
    for (int p = 0; p < HEADS; ++p) {
@if closed motion force
        const real told[PER_STRIP] = {out.force[p], out.height[p],  out.rate[p],
                                      out.lateral[p], out.strip[p], out.port_work[p]};
@end
@if pantograph
        const real told[PER_STRIP] = {out.height[p], out.rate[p], out.acceleration[p], out.port_work[p]};
@end
        for (int k = 0; k < PER_STRIP; ++k) {
            if (is_finite(told[k])) {
                v[FIRST_OUTPUT + PER_STRIP * p + k] = (double)told[k];
            }
        }
    }
@if closed motion force
    v[SLACK] = (double)out.slack;
@end
    v[FLAGS] = (double)flags;
    return 0;
}

/* A new instance at its start if the token is that of this unit, else NULL. */
static struct unit *new_unit(const char *token)
{
    struct unit *unit = NULL;
    if ((token != NULL) && (strcmp(token, TOKEN) == 0)) {
        unit = malloc(sizeof *unit);
        if (unit != NULL) {
            start_unit(unit);
        }
    }
    return unit;
}

/* The rest returns 0, or 1 if it is refused. */

static int read_values(const struct unit *unit, const unsigned int refs[], size_t n, double values[])
{
    for (size_t k = 0; k < n; ++k) {
        if (refs[k] >= (unsigned int)VALUES) {
            return 1;
        }
        values[k] = unit->values[refs[k]];
    }
    return 0;
}

static int write_values(struct unit *unit, const unsigned int refs[], size_t n, const double values[])
{
    for (size_t k = 0; k < n; ++k) {
        if ((refs[k] >= (unsigned int)VALUES) || ((int)refs[k] >= FIRST_OUTPUT)) {
            return 1;
        }
        unit->values[refs[k]] = values[k];
    }
    return 0;
}

static int copy_unit(void **state, const struct unit *unit)
{
    if (*state == NULL) {
        *state = malloc(sizeof *unit);
    }
    if (*state == NULL) {
        return 1;
    }
    (void)memcpy(*state, unit, sizeof *unit);
    return 0;
}

static int unit_to_bytes(void *bytes, size_t size, const void *state)
{
    if (size < sizeof(struct unit)) {
        return 1;
    }
    (void)memcpy(bytes, state, sizeof(struct unit));
    return 0;
}

static int unit_from_bytes(void **state, const void *bytes, size_t size)
{
    if (size != sizeof(struct unit)) {
        return 1;
    }
    *state = malloc(size);
    if (*state == NULL) {
        return 1;
    }
    (void)memcpy(*state, bytes, size);
    return 0;
}

#endif
