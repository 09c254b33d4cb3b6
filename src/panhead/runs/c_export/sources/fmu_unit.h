/* One instance of the rig as a functional mock-up unit; all variables are reals in one row of values. */
#ifndef FMU_UNIT_H
#define FMU_UNIT_H

#include "rig_@NAME@.h"

#include <stdlib.h>
#include <string.h>

#define TOKEN "@TOKEN@"

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

#endif
