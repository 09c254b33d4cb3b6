/* Interface of FMI 3.0 for co-simulation. */
#include "fmu_unit.h"

#include <stdbool.h>
#include <stdint.h>

typedef void *fmi3Instance;
typedef void *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef const char *fmi3String;
typedef bool fmi3Boolean;
typedef double fmi3Float64;
typedef uint8_t fmi3Byte;
typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;

/* Functions of the standard of one line; what they are given does not matter. */
#define ANSWER(answer, name, ...) \
    FMI_EXPORT fmi3Status name(__VA_ARGS__); \
    FMI_EXPORT fmi3Status name(__VA_ARGS__) \
    { \
        return answer; \
    }
#define REFUSED(name, ...) ANSWER(fmi3Error, name, __VA_ARGS__)
#define ACCEPTED(name, ...) ANSWER(fmi3OK, name, __VA_ARGS__)
#define NO_SUCH_VALUES(name, ...) ANSWER(n == 0 ? fmi3OK : fmi3Error, name, __VA_ARGS__)

FMI_EXPORT const char * fmi3GetVersion(void);
FMI_EXPORT const char * fmi3GetVersion(void)
{
    return "3.0";
}

ACCEPTED(fmi3SetDebugLogging, fmi3Instance c, fmi3Boolean on, size_t n, const fmi3String categories[])

FMI_EXPORT fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean event_mode, fmi3Boolean early, const fmi3ValueReference wanted[], size_t n, void *environment, void *log, void *update);
FMI_EXPORT fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean event_mode, fmi3Boolean early, const fmi3ValueReference wanted[], size_t n, void *environment, void *log, void *update)
{
    return new_unit(token);
}

FMI_EXPORT fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging, void *environment, void *log);
FMI_EXPORT fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging, void *environment, void *log)
{
    return NULL;
}

FMI_EXPORT fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging, void *environment, void *log, void *clock, void *lock, void *unlock);
FMI_EXPORT fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging, void *environment, void *log, void *clock, void *lock, void *unlock)
{
    return NULL;
}

FMI_EXPORT void fmi3FreeInstance(fmi3Instance c);
FMI_EXPORT void fmi3FreeInstance(fmi3Instance c)
{
    free(c);
}

ACCEPTED(fmi3EnterInitializationMode, fmi3Instance c, fmi3Boolean defined, fmi3Float64 tolerance, fmi3Float64 start, fmi3Boolean stops, fmi3Float64 stop)
ACCEPTED(fmi3ExitInitializationMode, fmi3Instance c)
ACCEPTED(fmi3Terminate, fmi3Instance c)
ACCEPTED(fmi3EnterStepMode, fmi3Instance c)
REFUSED(fmi3EnterEventMode, fmi3Instance c)
REFUSED(fmi3EnterConfigurationMode, fmi3Instance c)
REFUSED(fmi3ExitConfigurationMode, fmi3Instance c)

FMI_EXPORT fmi3Status fmi3Reset(fmi3Instance c);
FMI_EXPORT fmi3Status fmi3Reset(fmi3Instance c)
{
    start_unit(c);
    return fmi3OK;
}

FMI_EXPORT fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference refs[], size_t n, fmi3Float64 values[], size_t nv);
FMI_EXPORT fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference refs[], size_t n, fmi3Float64 values[], size_t nv)
{
    return (nv == n) && (read_values(c, refs, n, values) == 0) ? fmi3OK : fmi3Error;
}

FMI_EXPORT fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference refs[], size_t n, const fmi3Float64 values[], size_t nv);
FMI_EXPORT fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference refs[], size_t n, const fmi3Float64 values[], size_t nv)
{
    return (nv == n) && (write_values(c, refs, n, values) == 0) ? fmi3OK : fmi3Error;
}

NO_SUCH_VALUES(fmi3GetFloat32, fmi3Instance c, const fmi3ValueReference refs[], size_t n, float values[], size_t nv)
NO_SUCH_VALUES(fmi3SetFloat32, fmi3Instance c, const fmi3ValueReference refs[], size_t n, const float values[], size_t nv)
NO_SUCH_VALUES(fmi3GetInt8, fmi3Instance c, const fmi3ValueReference refs[], size_t n, int8_t values[], size_t nv)
NO_SUCH_VALUES(fmi3SetInt8, fmi3Instance c, const fmi3ValueReference refs[], size_t n, const int8_t values[], size_t nv)
NO_SUCH_VALUES(fmi3GetUInt8, fmi3Instance c, const fmi3ValueReference refs[], size_t n, uint8_t values[], size_t nv)
NO_SUCH_VALUES(fmi3SetUInt8, fmi3Instance c, const fmi3ValueReference refs[], size_t n, const uint8_t values[], size_t nv)
NO_SUCH_VALUES(fmi3GetInt16, fmi3Instance c, const fmi3ValueReference refs[], size_t n, int16_t values[], size_t nv)
NO_SUCH_VALUES(fmi3SetInt16, fmi3Instance c, const fmi3ValueReference refs[], size_t n, const int16_t values[], size_t nv)
NO_SUCH_VALUES(fmi3GetUInt16, fmi3Instance c, const fmi3ValueReference refs[], size_t n, uint16_t values[], size_t nv)
NO_SUCH_VALUES(fmi3SetUInt16, fmi3Instance c, const fmi3ValueReference refs[], size_t n, const uint16_t values[], size_t nv)
NO_SUCH_VALUES(fmi3GetInt32, fmi3Instance c, const fmi3ValueReference refs[], size_t n, int32_t values[], size_t nv)
NO_SUCH_VALUES(fmi3SetInt32, fmi3Instance c, const fmi3ValueReference refs[], size_t n, const int32_t values[], size_t nv)
NO_SUCH_VALUES(fmi3GetUInt32, fmi3Instance c, const fmi3ValueReference refs[], size_t n, uint32_t values[], size_t nv)
NO_SUCH_VALUES(fmi3SetUInt32, fmi3Instance c, const fmi3ValueReference refs[], size_t n, const uint32_t values[], size_t nv)
NO_SUCH_VALUES(fmi3GetInt64, fmi3Instance c, const fmi3ValueReference refs[], size_t n, int64_t values[], size_t nv)
NO_SUCH_VALUES(fmi3SetInt64, fmi3Instance c, const fmi3ValueReference refs[], size_t n, const int64_t values[], size_t nv)
NO_SUCH_VALUES(fmi3GetUInt64, fmi3Instance c, const fmi3ValueReference refs[], size_t n, uint64_t values[], size_t nv)
NO_SUCH_VALUES(fmi3SetUInt64, fmi3Instance c, const fmi3ValueReference refs[], size_t n, const uint64_t values[], size_t nv)
NO_SUCH_VALUES(fmi3GetBoolean, fmi3Instance c, const fmi3ValueReference refs[], size_t n, fmi3Boolean values[], size_t nv)
NO_SUCH_VALUES(fmi3SetBoolean, fmi3Instance c, const fmi3ValueReference refs[], size_t n, const fmi3Boolean values[], size_t nv)
NO_SUCH_VALUES(fmi3GetString, fmi3Instance c, const fmi3ValueReference refs[], size_t n, fmi3String values[], size_t nv)
NO_SUCH_VALUES(fmi3SetString, fmi3Instance c, const fmi3ValueReference refs[], size_t n, const fmi3String values[], size_t nv)

FMI_EXPORT fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState *state);
FMI_EXPORT fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState *state)
{
    return copy_unit(state, c) == 0 ? fmi3OK : fmi3Error;
}

FMI_EXPORT fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state);
FMI_EXPORT fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state)
{
    (void)memcpy(c, state, sizeof(struct unit));
    return fmi3OK;
}

FMI_EXPORT fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState *state);
FMI_EXPORT fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState *state)
{
    free(*state);
    *state = NULL;
    return fmi3OK;
}

FMI_EXPORT fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState state, size_t *size);
FMI_EXPORT fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState state, size_t *size)
{
    *size = sizeof(struct unit);
    return fmi3OK;
}

FMI_EXPORT fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size);
FMI_EXPORT fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size)
{
    return unit_to_bytes(bytes, size, state) == 0 ? fmi3OK : fmi3Error;
}

FMI_EXPORT fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte bytes[], size_t size, fmi3FMUState *state);
FMI_EXPORT fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte bytes[], size_t size, fmi3FMUState *state)
{
    return unit_from_bytes(state, bytes, size) == 0 ? fmi3OK : fmi3Error;
}

FMI_EXPORT fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 time, fmi3Float64 exchange, fmi3Boolean no_return, fmi3Boolean *event, fmi3Boolean *terminate, fmi3Boolean *early, fmi3Float64 *reached);
FMI_EXPORT fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 time, fmi3Float64 exchange, fmi3Boolean no_return, fmi3Boolean *event, fmi3Boolean *terminate, fmi3Boolean *early, fmi3Float64 *reached)
{
    *event = false;
    *terminate = false;
    *early = false;
    *reached = time;
    if (advance_unit(c, exchange) != 0) {
        return fmi3Error;
    }
    *reached = time + exchange;
    return fmi3OK;
}

/* What a co-simulation without clocks, events and derivatives does not have. */

REFUSED(fmi3GetBinary, fmi3Instance c, const fmi3ValueReference refs[], size_t n, size_t sizes[], const fmi3Byte *values[], size_t nv)
REFUSED(fmi3SetBinary, fmi3Instance c, const fmi3ValueReference refs[], size_t n, const size_t sizes[], const fmi3Byte *const values[], size_t nv)
REFUSED(fmi3GetClock, fmi3Instance c, const fmi3ValueReference refs[], size_t n, fmi3Boolean values[])
REFUSED(fmi3SetClock, fmi3Instance c, const fmi3ValueReference refs[], size_t n, const fmi3Boolean values[])
REFUSED(fmi3GetNumberOfVariableDependencies, fmi3Instance c, fmi3ValueReference ref, size_t *n)
REFUSED(fmi3GetVariableDependencies, fmi3Instance c, fmi3ValueReference ref, size_t own[], fmi3ValueReference others[], size_t places[], int kinds[], size_t n)
REFUSED(fmi3GetDirectionalDerivative, fmi3Instance c, const fmi3ValueReference unknowns[], size_t nu, const fmi3ValueReference knowns[], size_t nk, const fmi3Float64 seed[], size_t ns, fmi3Float64 found[], size_t nf)
REFUSED(fmi3GetAdjointDerivative, fmi3Instance c, const fmi3ValueReference unknowns[], size_t nu, const fmi3ValueReference knowns[], size_t nk, const fmi3Float64 seed[], size_t ns, fmi3Float64 found[], size_t nf)
REFUSED(fmi3GetIntervalDecimal, fmi3Instance c, const fmi3ValueReference refs[], size_t n, fmi3Float64 intervals[], int qualifiers[])
REFUSED(fmi3GetIntervalFraction, fmi3Instance c, const fmi3ValueReference refs[], size_t n, uint64_t counters[], uint64_t resolutions[], int qualifiers[])
REFUSED(fmi3GetShiftDecimal, fmi3Instance c, const fmi3ValueReference refs[], size_t n, fmi3Float64 shifts[])
REFUSED(fmi3GetShiftFraction, fmi3Instance c, const fmi3ValueReference refs[], size_t n, uint64_t counters[], uint64_t resolutions[])
REFUSED(fmi3SetIntervalDecimal, fmi3Instance c, const fmi3ValueReference refs[], size_t n, const fmi3Float64 intervals[])
REFUSED(fmi3SetIntervalFraction, fmi3Instance c, const fmi3ValueReference refs[], size_t n, const uint64_t counters[], const uint64_t resolutions[])
REFUSED(fmi3SetShiftDecimal, fmi3Instance c, const fmi3ValueReference refs[], size_t n, const fmi3Float64 shifts[])
REFUSED(fmi3SetShiftFraction, fmi3Instance c, const fmi3ValueReference refs[], size_t n, const uint64_t counters[], const uint64_t resolutions[])
REFUSED(fmi3EvaluateDiscreteStates, fmi3Instance c)
REFUSED(fmi3UpdateDiscreteStates, fmi3Instance c, fmi3Boolean *again, fmi3Boolean *terminate, fmi3Boolean *nominals, fmi3Boolean *changed, fmi3Boolean *defined, fmi3Float64 *next)
REFUSED(fmi3EnterContinuousTimeMode, fmi3Instance c)
REFUSED(fmi3CompletedIntegratorStep, fmi3Instance c, fmi3Boolean no_return, fmi3Boolean *event, fmi3Boolean *terminate)
REFUSED(fmi3SetTime, fmi3Instance c, fmi3Float64 time)
REFUSED(fmi3SetContinuousStates, fmi3Instance c, const fmi3Float64 states[], size_t n)
REFUSED(fmi3GetContinuousStateDerivatives, fmi3Instance c, fmi3Float64 values[], size_t n)
REFUSED(fmi3GetEventIndicators, fmi3Instance c, fmi3Float64 values[], size_t n)
REFUSED(fmi3GetContinuousStates, fmi3Instance c, fmi3Float64 values[], size_t n)
REFUSED(fmi3GetNominalsOfContinuousStates, fmi3Instance c, fmi3Float64 values[], size_t n)
REFUSED(fmi3GetNumberOfEventIndicators, fmi3Instance c, size_t *n)
REFUSED(fmi3GetNumberOfContinuousStates, fmi3Instance c, size_t *n)
REFUSED(fmi3GetOutputDerivatives, fmi3Instance c, const fmi3ValueReference refs[], size_t n, const int32_t orders[], fmi3Float64 values[], size_t nv)
REFUSED(fmi3ActivateModelPartition, fmi3Instance c, fmi3ValueReference clock, fmi3Float64 time)
