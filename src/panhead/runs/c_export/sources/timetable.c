/* Place and speed of the exported run: speed straight between the rows of its table, place its exact integral. */
void rig_@NAME@_timetable(int step, struct rig_@NAME@_input *in)
{
    const real t = (real)step * scheme.h;
    int k = 0;
    real tau, slope;
    (void)memset(in, 0, sizeof *in);
    while ((k < TIMETABLE_ROWS - 1) && (t >= TIMETABLE[k + 1][0])) {
        ++k;
    }
    tau = t - TIMETABLE[k][0];
    slope = TIMETABLE[k][3];
    in->position = START + TIMETABLE[k][2] + tau * (TIMETABLE[k][1] + (real)0.5 * slope * tau);
    in->speed = TIMETABLE[k][1] + slope * tau;
@if closed pantograph
    {
        /* uplift = share (F0 + F2 v^2) + (1 - share) F_rest, share growing over the ramp */
        const real share = smooth_ramp(t, RAMP);
        for (int i = 0; i < MASSES; ++i) {
            const real force = UPLIFT[i][0] + UPLIFT[i][1] * in->speed * in->speed;
            in->uplift[i] = share * force + (1 - share) * UPLIFT[i][2];
        }
    }
@end
}
