/* Interface of FMI 2.0 for co-simulation. */
#include "fmu_unit.h"

#if defined(_WIN32)
#define FMI_EXPORT __declspec(dllexport)
#else
#define FMI_EXPORT
#endif

typedef void *fmi2Component;
typedef void *fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer;
typedef int fmi2Boolean;
typedef const char *fmi2String;
typedef char fmi2Byte;
typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;

FMI_EXPORT const char * fmi2GetTypesPlatform(void);
FMI_EXPORT const char * fmi2GetTypesPlatform(void)
{
    return "default";
}

FMI_EXPORT const char * fmi2GetVersion(void);
FMI_EXPORT const char * fmi2GetVersion(void)
{
    return "2.0";
}

FMI_EXPORT fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String categories[]);
FMI_EXPORT fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String categories[])
{
    (void)n;
    (void)c;
    (void)on;
    (void)categories;
    return fmi2OK;
}

FMI_EXPORT fmi2Component fmi2Instantiate(fmi2String name, fmi2Type kind, fmi2String guid, fmi2String resources, const void *functions, fmi2Boolean visible, fmi2Boolean logging);
FMI_EXPORT fmi2Component fmi2Instantiate(fmi2String name, fmi2Type kind, fmi2String guid, fmi2String resources, const void *functions, fmi2Boolean visible, fmi2Boolean logging)
{
    (void)name;
    (void)resources;
    (void)functions;
    (void)visible;
    (void)logging;
    struct unit *unit = NULL;
    if ((kind == fmi2CoSimulation) && (guid != NULL) && (strcmp(guid, TOKEN) == 0)) {
        unit = malloc(sizeof *unit);
        if (unit != NULL) {
            start_unit(unit);
        }
    }
    return unit;
}

FMI_EXPORT void fmi2FreeInstance(fmi2Component c);
FMI_EXPORT void fmi2FreeInstance(fmi2Component c)
{
    free(c);
}

FMI_EXPORT fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean defined, fmi2Real tolerance, fmi2Real start, fmi2Boolean stops, fmi2Real stop);
FMI_EXPORT fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean defined, fmi2Real tolerance, fmi2Real start, fmi2Boolean stops, fmi2Real stop)
{
    (void)c;
    (void)defined;
    (void)tolerance;
    (void)start;
    (void)stops;
    (void)stop;
    return fmi2OK;
}

FMI_EXPORT fmi2Status fmi2EnterInitializationMode(fmi2Component c);
FMI_EXPORT fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    (void)c;
    return fmi2OK;
}

FMI_EXPORT fmi2Status fmi2ExitInitializationMode(fmi2Component c);
FMI_EXPORT fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    (void)c;
    return fmi2OK;
}

FMI_EXPORT fmi2Status fmi2Terminate(fmi2Component c);
FMI_EXPORT fmi2Status fmi2Terminate(fmi2Component c)
{
    (void)c;
    return fmi2OK;
}

FMI_EXPORT fmi2Status fmi2Reset(fmi2Component c);
FMI_EXPORT fmi2Status fmi2Reset(fmi2Component c)
{
    start_unit(c);
    return fmi2OK;
}

FMI_EXPORT fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference refs[], size_t n, fmi2Real values[]);
FMI_EXPORT fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference refs[], size_t n, fmi2Real values[])
{
    const struct unit *unit = c;
    for (size_t k = 0; k < n; ++k) {
        if (refs[k] >= (unsigned int)VALUES) {
            return fmi2Error;
        }
        values[k] = unit->values[refs[k]];
    }
    return fmi2OK;
}

FMI_EXPORT fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference refs[], size_t n, const fmi2Real values[]);
FMI_EXPORT fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference refs[], size_t n, const fmi2Real values[])
{
    struct unit *unit = c;
    for (size_t k = 0; k < n; ++k) {
        if ((refs[k] >= (unsigned int)VALUES) || ((int)refs[k] >= FIRST_OUTPUT)) {
            return fmi2Error;
        }
        unit->values[refs[k]] = values[k];
    }
    return fmi2OK;
}

FMI_EXPORT fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference refs[], size_t n, fmi2Integer values[]);
FMI_EXPORT fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference refs[], size_t n, fmi2Integer values[])
{
    (void)c;
    (void)refs;
    (void)values;
    return n == 0 ? fmi2OK : fmi2Error;
}

FMI_EXPORT fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference refs[], size_t n, const fmi2Integer values[]);
FMI_EXPORT fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference refs[], size_t n, const fmi2Integer values[])
{
    (void)c;
    (void)refs;
    (void)values;
    return n == 0 ? fmi2OK : fmi2Error;
}

FMI_EXPORT fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference refs[], size_t n, fmi2Boolean values[]);
FMI_EXPORT fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference refs[], size_t n, fmi2Boolean values[])
{
    (void)c;
    (void)refs;
    (void)values;
    return n == 0 ? fmi2OK : fmi2Error;
}

FMI_EXPORT fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference refs[], size_t n, const fmi2Boolean values[]);
FMI_EXPORT fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference refs[], size_t n, const fmi2Boolean values[])
{
    (void)c;
    (void)refs;
    (void)values;
    return n == 0 ? fmi2OK : fmi2Error;
}

FMI_EXPORT fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference refs[], size_t n, fmi2String values[]);
FMI_EXPORT fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference refs[], size_t n, fmi2String values[])
{
    (void)c;
    (void)refs;
    (void)values;
    return n == 0 ? fmi2OK : fmi2Error;
}

FMI_EXPORT fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference refs[], size_t n, const fmi2String values[]);
FMI_EXPORT fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference refs[], size_t n, const fmi2String values[])
{
    (void)c;
    (void)refs;
    (void)values;
    return n == 0 ? fmi2OK : fmi2Error;
}

FMI_EXPORT fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state);
FMI_EXPORT fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    if (*state == NULL) {
        *state = malloc(sizeof(struct unit));
    }
    if (*state == NULL) {
        return fmi2Error;
    }
    (void)memcpy(*state, c, sizeof(struct unit));
    return fmi2OK;
}

FMI_EXPORT fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state);
FMI_EXPORT fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state)
{
    (void)memcpy(c, state, sizeof(struct unit));
    return fmi2OK;
}

FMI_EXPORT fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state);
FMI_EXPORT fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    (void)c;
    free(*state);
    *state = NULL;
    return fmi2OK;
}

FMI_EXPORT fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size);
FMI_EXPORT fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size)
{
    (void)c;
    (void)state;
    *size = sizeof(struct unit);
    return fmi2OK;
}

FMI_EXPORT fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size);
FMI_EXPORT fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size)
{
    (void)c;
    if (size < sizeof(struct unit)) {
        return fmi2Error;
    }
    (void)memcpy(bytes, state, sizeof(struct unit));
    return fmi2OK;
}

FMI_EXPORT fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state);
FMI_EXPORT fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state)
{
    (void)c;
    if (size != sizeof(struct unit)) {
        return fmi2Error;
    }
    *state = malloc(size);
    if (*state == NULL) {
        return fmi2Error;
    }
    (void)memcpy(*state, bytes, size);
    return fmi2OK;
}

FMI_EXPORT fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknowns[], size_t nu, const fmi2ValueReference knowns[], size_t nk, const fmi2Real dv[], fmi2Real values[]);
FMI_EXPORT fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknowns[], size_t nu, const fmi2ValueReference knowns[], size_t nk, const fmi2Real dv[], fmi2Real values[])
{
    (void)c;
    (void)unknowns;
    (void)nu;
    (void)knowns;
    (void)nk;
    (void)dv;
    (void)values;
    return fmi2Error;
}

FMI_EXPORT fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference refs[], size_t n, const fmi2Integer order[], const fmi2Real values[]);
FMI_EXPORT fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference refs[], size_t n, const fmi2Integer order[], const fmi2Real values[])
{
    (void)n;
    (void)c;
    (void)refs;
    (void)order;
    (void)values;
    return fmi2Error;
}

FMI_EXPORT fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference refs[], size_t n, const fmi2Integer order[], fmi2Real values[]);
FMI_EXPORT fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference refs[], size_t n, const fmi2Integer order[], fmi2Real values[])
{
    (void)n;
    (void)c;
    (void)refs;
    (void)order;
    (void)values;
    return fmi2Error;
}

FMI_EXPORT fmi2Status fmi2DoStep(fmi2Component c, fmi2Real time, fmi2Real exchange, fmi2Boolean last);
FMI_EXPORT fmi2Status fmi2DoStep(fmi2Component c, fmi2Real time, fmi2Real exchange, fmi2Boolean last)
{
    (void)time;
    (void)last;
    return advance_unit(c, exchange) == 0 ? fmi2OK : fmi2Error;
}

FMI_EXPORT fmi2Status fmi2CancelStep(fmi2Component c);
FMI_EXPORT fmi2Status fmi2CancelStep(fmi2Component c)
{
    (void)c;
    return fmi2Error;
}

FMI_EXPORT fmi2Status fmi2GetStatus(fmi2Component c, int kind, fmi2Status *value);
FMI_EXPORT fmi2Status fmi2GetStatus(fmi2Component c, int kind, fmi2Status *value)
{
    (void)c;
    (void)kind;
    (void)value;
    return fmi2Discard;
}

FMI_EXPORT fmi2Status fmi2GetRealStatus(fmi2Component c, int kind, fmi2Real *value);
FMI_EXPORT fmi2Status fmi2GetRealStatus(fmi2Component c, int kind, fmi2Real *value)
{
    (void)c;
    (void)kind;
    (void)value;
    return fmi2Discard;
}

FMI_EXPORT fmi2Status fmi2GetIntegerStatus(fmi2Component c, int kind, fmi2Integer *value);
FMI_EXPORT fmi2Status fmi2GetIntegerStatus(fmi2Component c, int kind, fmi2Integer *value)
{
    (void)c;
    (void)kind;
    (void)value;
    return fmi2Discard;
}

FMI_EXPORT fmi2Status fmi2GetBooleanStatus(fmi2Component c, int kind, fmi2Boolean *value);
FMI_EXPORT fmi2Status fmi2GetBooleanStatus(fmi2Component c, int kind, fmi2Boolean *value)
{
    (void)c;
    (void)kind;
    (void)value;
    return fmi2Discard;
}

FMI_EXPORT fmi2Status fmi2GetStringStatus(fmi2Component c, int kind, fmi2String *value);
FMI_EXPORT fmi2Status fmi2GetStringStatus(fmi2Component c, int kind, fmi2String *value)
{
    (void)c;
    (void)kind;
    (void)value;
    return fmi2Discard;
}
