/* ---- Interface of the rig: windows, absorbing ends, energies, record. */

const real rig_@NAME@_h = @H@;

const char *const rig_@NAME@_energy_name[RIG_ENERGIES] = {@ENERGY_NAMES@};

/* A wire at rest: not zero, which would fade into slow denormal numbers. */
static const real QUIET = @QUIET@;

static void rest_line(struct rig_@NAME@ *rig)
{
    for (int i = 0; i < STATIONS; ++i) {
        for (int r = 0; r < TILES; ++r) {
            for (int k = 0; k < 4; ++k) {
                rig->q[rig->now][DISPLACEMENT][i][r][k] = QUIET;
                for (int row = 1; row < 4; ++row) {
                    rig->q[rig->now][row][i][r][k] = 0;
                }
            }
        }
    }
}

static void rest_droppers(struct rig_@NAME@ *rig)
{
    for (int r = 0; r < DROPPERS; ++r) {
        rig->state.drop[r] = windows[rig->window].drop[r];
    }
}

/* Load of the damping matrix for the next step: C s / C_u. */
static void remember(struct rig_@NAME@ *rig)
{
@DAMPING@
}

void rig_@NAME@_start(struct rig_@NAME@ *rig)
{
    (void)memset(rig, 0, sizeof *rig);
    rest_line(rig);
    rest_droppers(rig);
    remember(rig);
    for (int k = 0; k < MASSES; ++k) {
        rig->state.z[0][k] = REST_Z[k];
    }
@ELEMENTS_AT_REST@
    for (int i = 0; i < CONTACTS; ++i) {
        struct slot *s = &rig->work.slot[i];
        s->kind = CONTACT;
        s->k = train.head[i / WIRES].k;
        s->c = train.head[i / WIRES].c;
        rig->state.contact[i].impact = train.head[i / WIRES].impact;
    }
    for (int i = 0; i < CONTACTS + ELEMENTS; ++i) {
        for (int k = 0; k < MASSES; ++k) {
            rig->work.D[i][k] = FIXED_D[i][k];
            rig->work.P[i][k] = FIXED_P[i][k];
        }
        for (int j = 0; j < CONTACTS + ELEMENTS; ++j) {
            rig->work.S[i][j] = FIXED_S[i][j];
            rig->work.R[i][j] = scheme.C_u * FIXED_S[i][j];
        }
    }
    {
        struct rig_@NAME@_input in;
        rig_@NAME@_timetable(0, &in);
        for (int p = 0; p < HEADS; ++p) {
            rig->way.position[1][p] = in.position - BEHIND[p];
        }
        rig->way.speed[1] = in.speed;
@if closed
        for (int k = 0; k < MASSES; ++k) {
            rig->way.uplift[1][k] = in.uplift[k];
        }
@end
    }
}

@TIMETABLE@
/* Move to the next window: what both have in common comes over, the rest is at rest. */
static void move_window(struct rig_@NAME@ *rig)
{
    const int before = rig->now;
    struct dropper old_drop[DROPPERS];
    struct contact old_contact[CONTACTS];
    const struct window *to;
    struct line_state *state = &rig->state;
    struct work *w = &rig->work;
    tuple_real_real e0 = energy_of_line(rig);
    tuple_real_real e1;
    rig->window += 1;
    to = &windows[rig->window];
    for (int r = 0; r < DROPPERS; ++r) {
        old_drop[r] = state->drop[r];
    }
    for (int i = 0; i < CONTACTS; ++i) {
        old_contact[i] = state->contact[i];
    }
    rig->now = 1 - before;
    rest_line(rig);
    rest_droppers(rig);
    for (int i = 0; i < to->common; ++i) {
        for (int row = 0; row < 3; ++row) {
            for (int r = 0; r < TILES; ++r) {
                for (int k = 0; k < 4; ++k) {
                    rig->q[rig->now][row][to->first_now + i][r][k] = rig->q[before][row][to->first_before + i][r][k];
                }
            }
        }
    }
    for (int i = 0; i < STATIONS; ++i) {
        for (int r = 0; r < TILES; ++r) {
            for (int k = 0; k < 4; ++k) {
                if (to->held[i][r][k] != 0) {
                    for (int row = 0; row < 3; ++row) {
                        rig->q[rig->now][row][i][r][k] = 0;
                    }
                }
            }
        }
    }
    set_in_mode(state->drop, rig->q[rig->now]);
    for (int r = 0; r < DROPPERS; ++r) {
        if (to->dropper_from[r] >= 0) {
            const struct dropper *d = &old_drop[to->dropper_from[r]];
            struct dropper *n = &state->drop[r];
            n->mode = d->mode;
            n->p = d->p;
            n->e = d->e;
            n->N = d->N;
            n->N_min = d->N_min;
            n->N_max = d->N_max;
            n->slack = d->slack;
            n->since = d->since;
        }
    }
    hold_taut(state->drop);
    for (int i = 0; i < CONTACTS; ++i) {
        static const struct contact none;
        const int from = to->wire_from[i % WIRES];
        state->contact[i] = none;
        state->contact[i].impact = train.head[i / WIRES].impact;
        if (from >= 0) {
            const int station = old_contact[(i / WIRES) * WIRES + from].station;
            state->contact[i] = old_contact[(i / WIRES) * WIRES + from];
            state->contact[i].station = max_int(0, station - to->first_before + to->first_now);
        }
    }
    remember(rig);
    e1 = energy_of_line(rig);
    state->ledger[D_ABSORBED] += e0.v[0] + e0.v[1] - e1.v[0] - e1.v[1];
    empty_slots(w);
}

static int input_is_finite(const struct rig_@NAME@_input *in)
{
    int finite = is_finite(in->position) && is_finite(in->speed);
@if closed
    for (int k = 0; k < MASSES; ++k) {
        finite = finite && is_finite(in->uplift[k]);
    }
@end
@if motion
    for (int p = 0; p < HEADS; ++p) {
        finite = finite && is_finite(in->height[p]) && is_finite(in->rate[p]) && is_finite(in->acceleration[p]);
    }
    finite = finite && is_finite(in->delay);
@end
@if force
    for (int p = 0; p < HEADS; ++p) {
        finite = finite && is_finite(in->force[p]);
    }
@end
    return finite;
}

/* Take the inputs over as the end of the train's way in this step. */
static int take_input(struct rig_@NAME@ *rig, const struct rig_@NAME@_input *in)
{
    struct train_way *way = &rig->way;
    int outside = 0;
    way->speed[0] = way->speed[1];
    way->speed[1] = in->speed;
    for (int p = 0; p < HEADS; ++p) {
        way->position[0][p] = way->position[1][p];
        way->position[1][p] = in->position - BEHIND[p];
        if ((way->position[1][p] < LINE_BEGIN) || (way->position[1][p] >= LINE_END)) {
            outside = 1;
        }
@if motion
        {
            const real tau = in->delay, a = in->acceleration[p];
            way->given[1][p][0] = in->height[p] + tau * in->rate[p] + (real)0.5 * tau * tau * a;
            way->given[1][p][1] = in->rate[p] + tau * a;
            if (rig->step == 0) {
                rig->state.z[0][p] = way->given[1][p][0];
            }
        }
@end
@if force
        way->given[0][p][0] = way->given[1][p][0];
        way->given[1][p][0] = in->force[p];
@end
    }
@if closed
    for (int k = 0; k < MASSES; ++k) {
        way->uplift[0][k] = way->uplift[1][k];
        way->uplift[1][k] = in->uplift[k];
    }
@end
    return outside;
}

/* Attenuate waves towards the ends of a moving window, and book what is taken. */
static void absorb(struct rig_@NAME@ *rig)
{
@ABSORB@
}

/* Answers of the present state; returns whether a strip has no wire above it. */
static int answer(struct rig_@NAME@ *rig, struct rig_@NAME@_output *out)
{
    int bare = 0;
    const struct line_tables *line = &windows[rig->window].line;
    struct rig_@NAME@_sample *sample = &rig->record[rig->step % RECORD];
    out->time = (real)rig->step * scheme.h;
    out->slack = 0;
    for (int p = 0; p < HEADS; ++p) {
        real most = -1;
        out->force[p] = 0;
        out->height[p] = NAN;
        out->rate[p] = NAN;
        out->lateral[p] = NAN;
        for (int wire = 0; wire < WIRES; ++wire) {
            const int i = p * WIRES + wire;
            struct contact *c = &rig->state.contact[i];
            out->force[p] += c->F;
            if ((c->on != 0) && (c->F > most)) {
                const tuple_real_real motion = wire_motion(&rig->work.slot[i], rig->way.speed[1], rig->q[rig->now]);
                real told[4];
                record_contact(line, c, wire, rig->q[rig->now][DISPLACEMENT], told);
                most = c->F;
                out->height[p] = motion.v[0];
                out->rate[p] = motion.v[1];
                out->lateral[p] = told[2];
            }
        }
        bare = bare || (most < 0);
        out->strip[p] = rig->state.z[0][train.head[p].mass] + train.head[p].height;
        out->port_work[p] = rig->port_work[p];
        sample->force[p] = out->force[p];
        sample->height[p] = out->height[p];
    }
    sample->time = out->time;
    sample->position = rig->way.position[1][0];
    for (int r = 0; r < DROPPERS; ++r) {
        out->slack += (rig->state.drop[r].mode == OPEN) ? 1 : 0;
    }
    return bare;
}

int rig_@NAME@_step(struct rig_@NAME@ *rig, const struct rig_@NAME@_input *in, struct rig_@NAME@_output *out)
{
    struct line_state *state = &rig->state;
    struct work *w = &rig->work;
    real z0[HEADS], F0[HEADS];
    int flags = RIG_OK;
    real total = 0;
    if (!input_is_finite(in)) {
        out->flags = RIG_NOT_FINITE;
        return out->flags;
    }
    if (rig->step % CHUNK == 0) {
        for (int k = 0; k < 3; ++k) {
            if ((rig->window + 1 < WINDOWS) && (rig->way.position[1][0] + BEHIND[0] >= windows[rig->window + 1].begin)) {
                move_window(rig);
            }
        }
        empty_slots(w);
    }
    flags |= take_input(rig, in) ? RIG_OUTSIDE : 0;
    for (int p = 0; p < HEADS; ++p) {
        z0[p] = state->z[0][train.head[p].mass];
        F0[p] = 0;
        for (int wire = 0; wire < WIRES; ++wire) {
            F0[p] += state->contact[p * WIRES + wire].F;
        }
    }
    w->missed[0] = 0;
    (void)advance_rig(rig, rig->step + 1);
    flags |= (w->missed[0] == 1) ? RIG_SWEEPS : 0;
    flags |= (w->missed[0] == 2) ? RIG_SLOTS : 0;
    rig->now = 1 - rig->now;
@if force
    if (rig->step == 0) { /* the first wire that is met is no way that was made */
        for (int p = 0; p < HEADS; ++p) {
            z0[p] = state->z[0][train.head[p].mass];
        }
    }
@end
    rig->step += 1;
    for (int p = 0; p < HEADS; ++p) {
        real F1 = 0;
        for (int wire = 0; wire < WIRES; ++wire) {
            F1 += state->contact[p * WIRES + wire].F;
        }
        rig->port_work[p] += (state->z[0][train.head[p].mass] - z0[p]) * (scheme.alpha_f * F0[p] + (1 - scheme.alpha_f) * F1);
        total += F1;
    }
    absorb(rig);
    flags |= answer(rig, out) ? RIG_OUTSIDE : 0;
    flags |= is_finite(total) ? 0 : RIG_NOT_FINITE;
    out->flags = flags;
    return flags;
}

void rig_@NAME@_energy(struct rig_@NAME@ *rig, real energy[RIG_ENERGIES])
{
    energies(&windows[rig->window].line, &rig->state, rig->q[rig->now], (real(*)[COORDINATES])rig->q[rig->now], &rig->work, energy);
}

size_t rig_@NAME@_size(void)
{
    return sizeof(struct rig_@NAME@);
}
