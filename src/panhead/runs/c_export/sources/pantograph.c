/* ---- Interface of the pantographs: start, step, energy, record. */

const real rig_pantograph_h = @H@;

const char *const rig_pantograph_energy_name[RIG_ENERGIES] = {"stored", @LEDGER_NAMES@};

@TIMETABLE@
void rig_pantograph_start(struct rig_pantograph *rig)
{
    struct rig_pantograph_input in;
    (void)memset(rig, 0, sizeof *rig);
    for (int k = 0; k < MASSES; ++k) {
        rig->state.z[0][k] = REST_Z[k];
    }
@ELEMENTS_AT_REST@
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
    rig_pantograph_timetable(0, &in);
    for (int k = 0; k < MASSES; ++k) {
        rig->way.uplift[1][k] = in.uplift[k];
    }
}

static int input_is_finite(const struct rig_pantograph_input *in)
{
    int finite = 1;
    for (int k = 0; k < MASSES; ++k) {
        finite = finite && is_finite(in->uplift[k]);
    }
    for (int p = 0; p < HEADS; ++p) {
        finite = finite && is_finite(in->force[p]);
    }
    return finite;
}

int rig_pantograph_step(struct rig_pantograph *rig, const struct rig_pantograph_input *in,
                        struct rig_pantograph_output *out)
{
    struct train_way *way = &rig->way;
    const struct pantograph_state *state = &rig->state;
    struct rig_pantograph_sample *sample;
    real z0[HEADS];
    int finite = 1;
    if (!input_is_finite(in)) {
        out->flags = RIG_NOT_FINITE;
        return out->flags;
    }
    for (int k = 0; k < MASSES; ++k) {
        way->uplift[0][k] = way->uplift[1][k];
        way->uplift[1][k] = in->uplift[k];
    }
    for (int p = 0; p < HEADS; ++p) {
        way->given[0][p][0] = way->given[1][p][0];
        way->given[1][p][0] = in->force[p];
        z0[p] = state->z[0][train.head[p].mass];
    }
    rig->work.missed[0] = 0;
    step_under_contact(&rig->state, way, 0, &rig->work);
    rig->step += 1;
    sample = &rig->record[rig->step % RECORD];
    out->time = (real)rig->step * scheme.h;
    sample->time = out->time;
    for (int p = 0; p < HEADS; ++p) {
        const int mass = train.head[p].mass;
        const real F_f = scheme.alpha_f * way->given[0][p][0] + (1 - scheme.alpha_f) * way->given[1][p][0];
        rig->port_work[p] += (state->z[0][mass] - z0[p]) * F_f;
        out->height[p] = state->z[0][mass] + train.head[p].height;
        out->rate[p] = state->z[1][mass];
        out->acceleration[p] = state->z[2][mass];
        out->port_work[p] = rig->port_work[p];
        sample->force[p] = in->force[p];
        sample->height[p] = out->height[p];
        finite = finite && is_finite(out->height[p]);
    }
    out->flags = ((rig->work.missed[0] != 0) ? RIG_SWEEPS : RIG_OK) | (finite ? RIG_OK : RIG_NOT_FINITE);
    return out->flags;
}

void rig_pantograph_energy(struct rig_pantograph *rig, real energy[RIG_ENERGIES])
{
    energy[0] = pantograph_energy(&rig->state);
    for (int k = 0; k < LEDGER_ENTRIES; ++k) {
        energy[1 + k] = rig->state.ledger[k];
    }
}

size_t rig_pantograph_size(void)
{
    return sizeof(struct rig_pantograph);
}
