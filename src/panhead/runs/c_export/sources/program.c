/* Run the exported run and print time, place and @SHOWN@ of every strip; with the argument "time", the time of a step instead.
 *
 *     cc -std=c99 -O2 main_@NAME@.c rig_@NAME@.c @TABLES@-lm -o rig
 *
 * "time" passes the run several times. A step is the same work in every pass, so that the least of its times is without
 * what other programs and the system take; "worst" is the longest of these least times, "worst_seen" the longest of all.
 */
#define _POSIX_C_SOURCE 199309L
#include "rig_@NAME@.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define STEPS @STEPS@

static struct rig_@NAME@ rig;

/* Processor time of this thread [s]: what other programs take is not counted. */
static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Inputs of a step: the place of the run and, where they are asked for, a strip that presses or a force that swings. */
static void give(int step, struct rig_@NAME@_input *in)
{
    rig_@NAME@_timetable(step, in);
@if motion
    for (int p = 0; p < HEADS; ++p) { /* rises by 20 mm in 1000 steps and stays there */
        in->height[p] = RIG_REST_HEIGHT + (real)2e-5 * (real)((step < 1000) ? step : 1000);
        in->rate[p] = (step < 1000) ? (real)2e-5 / rig_@NAME@_h : 0;
    }
@end
@if force
    for (int p = 0; p < HEADS; ++p) {
        in->force[p] = (step < 1000) ? (real)0.12 * (real)step : 120;
    }
@end
@if pantograph
    for (int p = 0; p < HEADS; ++p) {
        in->force[p] = 120;
    }
@end
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int time_steps(long count)
{
    static double least[STEPS]; /* of all passes */
    struct rig_@NAME@_input in;
    struct rig_@NAME@_output out;
    double sum = 0, worst = 0, *taken = malloc((size_t)count * sizeof(double));
    int flags = 0, slowest = 0;
    if (taken == NULL) {
        return 1;
    }
    for (long n = 0; n < count; ++n) {
        const int step = (int)(n % STEPS);
        double begin;
        if (step == 0) {
            rig_@NAME@_start(&rig);
        }
        give(step + 1, &in);
        begin = now();
        flags |= rig_@NAME@_step(&rig, &in, &out);
        taken[n] = now() - begin;
        sum += taken[n];
        least[step] = ((n < STEPS) || (taken[n] < least[step])) ? taken[n] : least[step];
    }
    for (int step = 0; (step < STEPS) && (step < count); ++step) {
        slowest = (least[step] > worst) ? step : slowest;
        worst = least[slowest];
    }
    qsort(taken, (size_t)count, sizeof(double), compare);
    (void)printf("steps %ld\npasses %g\nmean %.9g\nmedian %.9g\np9999 %.9g\nworst %.9g\nworst_seen %.9g\nstate %lu\n"
                 "flags %d\nslowest_step %d\n",
                 count, (double)count / STEPS, sum / (double)count, taken[count / 2],
                 taken[count - 1 - count / 10000], worst, taken[count - 1], (unsigned long)rig_@NAME@_size(), flags,
                 slowest + 1);
    free(taken);
    return 0;
}

int main(int count, char **words)
{
    struct rig_@NAME@_input in;
    struct rig_@NAME@_output out;
    if (count > 1) {
        const long steps = (count > 2) ? atol(words[2]) : 1000000L;
        if (steps < 1) {
            (void)fprintf(stderr, "usage: %s [time [number of steps]]\n", words[0]);
            return 2;
        }
        return time_steps(steps);
    }
    rig_@NAME@_start(&rig);
    for (int n = 0; n < STEPS; ++n) {
        give(n + 1, &in);
        (void)rig_@NAME@_step(&rig, &in, &out);
        (void)printf("%.6f %.6f", (double)out.time, (double)in.position);
        for (int p = 0; p < HEADS; ++p) {
            (void)printf(" %.17g", (double)out.@SHOWN@[p]);
        }
        (void)printf("\n");
    }
    return 0;
}
