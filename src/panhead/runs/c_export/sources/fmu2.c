/* Interface of FMI 2.0 for co-simulation. */
#include "fmu_unit.h"

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

/* Functions of the standard of one line; what they are given does not matter. */
#define ANSWER(answer, name, ...) \
    FMI_EXPORT fmi2Status name(__VA_ARGS__); \
    FMI_EXPORT fmi2Status name(__VA_ARGS__) \
    { \
        return answer; \
    }
#define REFUSED(name, ...) ANSWER(fmi2Error, name, __VA_ARGS__)
#define ACCEPTED(name, ...) ANSWER(fmi2OK, name, __VA_ARGS__)
#define NO_SUCH_VALUES(name, ...) ANSWER(n == 0 ? fmi2OK : fmi2Error, name, __VA_ARGS__)
#define DISCARDED(name, ...) ANSWER(fmi2Discard, name, __VA_ARGS__)

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

ACCEPTED(fmi2SetDebugLogging, fmi2Component c, fmi2Boolean on, size_t n, const fmi2String categories[])

FMI_EXPORT fmi2Component fmi2Instantiate(fmi2String name, fmi2Type kind, fmi2String guid, fmi2String resources, const void *functions, fmi2Boolean visible, fmi2Boolean logging);
FMI_EXPORT fmi2Component fmi2Instantiate(fmi2String name, fmi2Type kind, fmi2String guid, fmi2String resources, const void *functions, fmi2Boolean visible, fmi2Boolean logging)
{
    return kind == fmi2CoSimulation ? new_unit(guid) : NULL;
}

FMI_EXPORT void fmi2FreeInstance(fmi2Component c);
FMI_EXPORT void fmi2FreeInstance(fmi2Component c)
{
    free(c);
}

ACCEPTED(fmi2SetupExperiment, fmi2Component c, fmi2Boolean defined, fmi2Real tolerance, fmi2Real start, fmi2Boolean stops, fmi2Real stop)
ACCEPTED(fmi2EnterInitializationMode, fmi2Component c)
ACCEPTED(fmi2ExitInitializationMode, fmi2Component c)
ACCEPTED(fmi2Terminate, fmi2Component c)

FMI_EXPORT fmi2Status fmi2Reset(fmi2Component c);
FMI_EXPORT fmi2Status fmi2Reset(fmi2Component c)
{
    start_unit(c);
    return fmi2OK;
}

FMI_EXPORT fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference refs[], size_t n, fmi2Real values[]);
FMI_EXPORT fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference refs[], size_t n, fmi2Real values[])
{
    return read_values(c, refs, n, values) == 0 ? fmi2OK : fmi2Error;
}

FMI_EXPORT fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference refs[], size_t n, const fmi2Real values[]);
FMI_EXPORT fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference refs[], size_t n, const fmi2Real values[])
{
    return write_values(c, refs, n, values) == 0 ? fmi2OK : fmi2Error;
}

NO_SUCH_VALUES(fmi2GetInteger, fmi2Component c, const fmi2ValueReference refs[], size_t n, fmi2Integer values[])
NO_SUCH_VALUES(fmi2SetInteger, fmi2Component c, const fmi2ValueReference refs[], size_t n, const fmi2Integer values[])
NO_SUCH_VALUES(fmi2GetBoolean, fmi2Component c, const fmi2ValueReference refs[], size_t n, fmi2Boolean values[])
NO_SUCH_VALUES(fmi2SetBoolean, fmi2Component c, const fmi2ValueReference refs[], size_t n, const fmi2Boolean values[])
NO_SUCH_VALUES(fmi2GetString, fmi2Component c, const fmi2ValueReference refs[], size_t n, fmi2String values[])
NO_SUCH_VALUES(fmi2SetString, fmi2Component c, const fmi2ValueReference refs[], size_t n, const fmi2String values[])

FMI_EXPORT fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state);
FMI_EXPORT fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    return copy_unit(state, c) == 0 ? fmi2OK : fmi2Error;
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
    free(*state);
    *state = NULL;
    return fmi2OK;
}

FMI_EXPORT fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size);
FMI_EXPORT fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size)
{
    *size = sizeof(struct unit);
    return fmi2OK;
}

FMI_EXPORT fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size);
FMI_EXPORT fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size)
{
    return unit_to_bytes(bytes, size, state) == 0 ? fmi2OK : fmi2Error;
}

FMI_EXPORT fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state);
FMI_EXPORT fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state)
{
    return unit_from_bytes(state, bytes, size) == 0 ? fmi2OK : fmi2Error;
}

REFUSED(fmi2GetDirectionalDerivative, fmi2Component c, const fmi2ValueReference unknowns[], size_t nu, const fmi2ValueReference knowns[], size_t nk, const fmi2Real dv[], fmi2Real values[])
REFUSED(fmi2SetRealInputDerivatives, fmi2Component c, const fmi2ValueReference refs[], size_t n, const fmi2Integer order[], const fmi2Real values[])
REFUSED(fmi2GetRealOutputDerivatives, fmi2Component c, const fmi2ValueReference refs[], size_t n, const fmi2Integer order[], fmi2Real values[])

FMI_EXPORT fmi2Status fmi2DoStep(fmi2Component c, fmi2Real time, fmi2Real exchange, fmi2Boolean last);
FMI_EXPORT fmi2Status fmi2DoStep(fmi2Component c, fmi2Real time, fmi2Real exchange, fmi2Boolean last)
{
    return advance_unit(c, exchange) == 0 ? fmi2OK : fmi2Error;
}

REFUSED(fmi2CancelStep, fmi2Component c)
DISCARDED(fmi2GetStatus, fmi2Component c, int kind, fmi2Status *value)
DISCARDED(fmi2GetRealStatus, fmi2Component c, int kind, fmi2Real *value)
DISCARDED(fmi2GetIntegerStatus, fmi2Component c, int kind, fmi2Integer *value)
DISCARDED(fmi2GetBooleanStatus, fmi2Component c, int kind, fmi2Boolean *value)
DISCARDED(fmi2GetStringStatus, fmi2Component c, int kind, fmi2String *value)
