/* Interface of FMI 3.0 for co-simulation. */
#include "fmu_unit.h"

#include <stdbool.h>
#include <stdint.h>

#if defined(_WIN32)
#define FMI_EXPORT __declspec(dllexport)
#else
#define FMI_EXPORT
#endif

typedef void *fmi3Instance;
typedef void *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef const char *fmi3String;
typedef bool fmi3Boolean;
typedef double fmi3Float64;
typedef uint8_t fmi3Byte;
typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;

FMI_EXPORT const char * fmi3GetVersion(void);
FMI_EXPORT const char * fmi3GetVersion(void)
{
    return "3.0";
}

FMI_EXPORT fmi3Status fmi3SetDebugLogging(fmi3Instance c, fmi3Boolean on, size_t n, const fmi3String categories[]);
FMI_EXPORT fmi3Status fmi3SetDebugLogging(fmi3Instance c, fmi3Boolean on, size_t n, const fmi3String categories[])
{
    (void)n;
    (void)c;
    (void)on;
    (void)categories;
    return fmi3OK;
}

FMI_EXPORT fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean event_mode, fmi3Boolean early, const fmi3ValueReference wanted[], size_t n, void *environment, void *log, void *update);
FMI_EXPORT fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean event_mode, fmi3Boolean early, const fmi3ValueReference wanted[], size_t n, void *environment, void *log, void *update)
{
    (void)n;
    (void)name;
    (void)resources;
    (void)visible;
    (void)logging;
    (void)event_mode;
    (void)early;
    (void)wanted;
    (void)environment;
    (void)log;
    (void)update;
    struct unit *unit = NULL;
    if ((token != NULL) && (strcmp(token, TOKEN) == 0)) {
        unit = malloc(sizeof *unit);
        if (unit != NULL) {
            start_unit(unit);
        }
    }
    return unit;
}

FMI_EXPORT fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging, void *environment, void *log);
FMI_EXPORT fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging, void *environment, void *log)
{
    (void)name;
    (void)token;
    (void)resources;
    (void)visible;
    (void)logging;
    (void)environment;
    (void)log;
    return NULL;
}

FMI_EXPORT fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging, void *environment, void *log, void *clock, void *lock, void *unlock);
FMI_EXPORT fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible, fmi3Boolean logging, void *environment, void *log, void *clock, void *lock, void *unlock)
{
    (void)name;
    (void)token;
    (void)resources;
    (void)visible;
    (void)logging;
    (void)environment;
    (void)log;
    (void)clock;
    (void)lock;
    (void)unlock;
    return NULL;
}

FMI_EXPORT void fmi3FreeInstance(fmi3Instance c);
FMI_EXPORT void fmi3FreeInstance(fmi3Instance c)
{
    free(c);
}

FMI_EXPORT fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean defined, fmi3Float64 tolerance, fmi3Float64 start, fmi3Boolean stops, fmi3Float64 stop);
FMI_EXPORT fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean defined, fmi3Float64 tolerance, fmi3Float64 start, fmi3Boolean stops, fmi3Float64 stop)
{
    (void)c;
    (void)defined;
    (void)tolerance;
    (void)start;
    (void)stops;
    (void)stop;
    return fmi3OK;
}

FMI_EXPORT fmi3Status fmi3ExitInitializationMode(fmi3Instance c);
FMI_EXPORT fmi3Status fmi3ExitInitializationMode(fmi3Instance c)
{
    (void)c;
    return fmi3OK;
}

FMI_EXPORT fmi3Status fmi3Terminate(fmi3Instance c);
FMI_EXPORT fmi3Status fmi3Terminate(fmi3Instance c)
{
    (void)c;
    return fmi3OK;
}

FMI_EXPORT fmi3Status fmi3EnterStepMode(fmi3Instance c);
FMI_EXPORT fmi3Status fmi3EnterStepMode(fmi3Instance c)
{
    (void)c;
    return fmi3OK;
}

FMI_EXPORT fmi3Status fmi3EnterEventMode(fmi3Instance c);
FMI_EXPORT fmi3Status fmi3EnterEventMode(fmi3Instance c)
{
    (void)c;
    return fmi3Error;
}

FMI_EXPORT fmi3Status fmi3EnterConfigurationMode(fmi3Instance c);
FMI_EXPORT fmi3Status fmi3EnterConfigurationMode(fmi3Instance c)
{
    (void)c;
    return fmi3Error;
}

FMI_EXPORT fmi3Status fmi3ExitConfigurationMode(fmi3Instance c);
FMI_EXPORT fmi3Status fmi3ExitConfigurationMode(fmi3Instance c)
{
    (void)c;
    return fmi3Error;
}

FMI_EXPORT fmi3Status fmi3Reset(fmi3Instance c);
FMI_EXPORT fmi3Status fmi3Reset(fmi3Instance c)
{
    start_unit(c);
    return fmi3OK;
}

FMI_EXPORT fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference refs[], size_t n, fmi3Float64 values[], size_t nv);
FMI_EXPORT fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference refs[], size_t n, fmi3Float64 values[], size_t nv)
{
    if (nv != n) {
        return fmi3Error;
    }
    const struct unit *unit = c;
    for (size_t k = 0; k < n; ++k) {
        if (refs[k] >= (unsigned int)VALUES) {
            return fmi3Error;
        }
        values[k] = unit->values[refs[k]];
    }
    return fmi3OK;
}

FMI_EXPORT fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference refs[], size_t n, const fmi3Float64 values[], size_t nv);
FMI_EXPORT fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference refs[], size_t n, const fmi3Float64 values[], size_t nv)
{
    if (nv != n) {
        return fmi3Error;
    }
    struct unit *unit = c;
    for (size_t k = 0; k < n; ++k) {
        if ((refs[k] >= (unsigned int)VALUES) || ((int)refs[k] >= FIRST_OUTPUT)) {
            return fmi3Error;
        }
        unit->values[refs[k]] = values[k];
    }
    return fmi3OK;
}

FMI_EXPORT fmi3Status fmi3GetFloat32(fmi3Instance c, const fmi3ValueReference refs[], size_t n, float values[], size_t nv);
FMI_EXPORT fmi3Status fmi3GetFloat32(fmi3Instance c, const fmi3ValueReference refs[], size_t n, float values[], size_t nv)
{
    (void)c;
    (void)refs;
    (void)values;
    (void)nv;
    return n == 0 ? fmi3OK : fmi3Error;
}

FMI_EXPORT fmi3Status fmi3SetFloat32(fmi3Instance c, const fmi3ValueReference refs[], size_t n, const float values[], size_t nv);
FMI_EXPORT fmi3Status fmi3SetFloat32(fmi3Instance c, const fmi3ValueReference refs[], size_t n, const float values[], size_t nv)
{
    (void)c;
    (void)refs;
    (void)values;
    (void)nv;
    return n == 0 ? fmi3OK : fmi3Error;
}

FMI_EXPORT fmi3Status fmi3GetInt8(fmi3Instance c, const fmi3ValueReference refs[], size_t n, int8_t values[], size_t nv);
FMI_EXPORT fmi3Status fmi3GetInt8(fmi3Instance c, const fmi3ValueReference refs[], size_t n, int8_t values[], size_t nv)
{
    (void)c;
    (void)refs;
    (void)values;
    (void)nv;
    return n == 0 ? fmi3OK : fmi3Error;
}

FMI_EXPORT fmi3Status fmi3SetInt8(fmi3Instance c, const fmi3ValueReference refs[], size_t n, const int8_t values[], size_t nv);
FMI_EXPORT fmi3Status fmi3SetInt8(fmi3Instance c, const fmi3ValueReference refs[], size_t n, const int8_t values[], size_t nv)
{
    (void)c;
    (void)refs;
    (void)values;
    (void)nv;
    return n == 0 ? fmi3OK : fmi3Error;
}

FMI_EXPORT fmi3Status fmi3GetUInt8(fmi3Instance c, const fmi3ValueReference refs[], size_t n, uint8_t values[], size_t nv);
FMI_EXPORT fmi3Status fmi3GetUInt8(fmi3Instance c, const fmi3ValueReference refs[], size_t n, uint8_t values[], size_t nv)
{
    (void)c;
    (void)refs;
    (void)values;
    (void)nv;
    return n == 0 ? fmi3OK : fmi3Error;
}

FMI_EXPORT fmi3Status fmi3SetUInt8(fmi3Instance c, const fmi3ValueReference refs[], size_t n, const uint8_t values[], size_t nv);
FMI_EXPORT fmi3Status fmi3SetUInt8(fmi3Instance c, const fmi3ValueReference refs[], size_t n, const uint8_t values[], size_t nv)
{
    (void)c;
    (void)refs;
    (void)values;
    (void)nv;
    return n == 0 ? fmi3OK : fmi3Error;
}

FMI_EXPORT fmi3Status fmi3GetInt16(fmi3Instance c, const fmi3ValueReference refs[], size_t n, int16_t values[], size_t nv);
FMI_EXPORT fmi3Status fmi3GetInt16(fmi3Instance c, const fmi3ValueReference refs[], size_t n, int16_t values[], size_t nv)
{
    (void)c;
    (void)refs;
    (void)values;
    (void)nv;
    return n == 0 ? fmi3OK : fmi3Error;
}

FMI_EXPORT fmi3Status fmi3SetInt16(fmi3Instance c, const fmi3ValueReference refs[], size_t n, const int16_t values[], size_t nv);
FMI_EXPORT fmi3Status fmi3SetInt16(fmi3Instance c, const fmi3ValueReference refs[], size_t n, const int16_t values[], size_t nv)
{
    (void)c;
    (void)refs;
    (void)values;
    (void)nv;
    return n == 0 ? fmi3OK : fmi3Error;
}

FMI_EXPORT fmi3Status fmi3GetUInt16(fmi3Instance c, const fmi3ValueReference refs[], size_t n, uint16_t values[], size_t nv);
FMI_EXPORT fmi3Status fmi3GetUInt16(fmi3Instance c, const fmi3ValueReference refs[], size_t n, uint16_t values[], size_t nv)
{
    (void)c;
    (void)refs;
    (void)values;
    (void)nv;
    return n == 0 ? fmi3OK : fmi3Error;
}

FMI_EXPORT fmi3Status fmi3SetUInt16(fmi3Instance c, const fmi3ValueReference refs[], size_t n, const uint16_t values[], size_t nv);
FMI_EXPORT fmi3Status fmi3SetUInt16(fmi3Instance c, const fmi3ValueReference refs[], size_t n, const uint16_t values[], size_t nv)
{
    (void)c;
    (void)refs;
    (void)values;
    (void)nv;
    return n == 0 ? fmi3OK : fmi3Error;
}

FMI_EXPORT fmi3Status fmi3GetInt32(fmi3Instance c, const fmi3ValueReference refs[], size_t n, int32_t values[], size_t nv);
FMI_EXPORT fmi3Status fmi3GetInt32(fmi3Instance c, const fmi3ValueReference refs[], size_t n, int32_t values[], size_t nv)
{
    (void)c;
    (void)refs;
    (void)values;
    (void)nv;
    return n == 0 ? fmi3OK : fmi3Error;
}

FMI_EXPORT fmi3Status fmi3SetInt32(fmi3Instance c, const fmi3ValueReference refs[], size_t n, const int32_t values[], size_t nv);
FMI_EXPORT fmi3Status fmi3SetInt32(fmi3Instance c, const fmi3ValueReference refs[], size_t n, const int32_t values[], size_t nv)
{
    (void)c;
    (void)refs;
    (void)values;
    (void)nv;
    return n == 0 ? fmi3OK : fmi3Error;
}

FMI_EXPORT fmi3Status fmi3GetUInt32(fmi3Instance c, const fmi3ValueReference refs[], size_t n, uint32_t values[], size_t nv);
FMI_EXPORT fmi3Status fmi3GetUInt32(fmi3Instance c, const fmi3ValueReference refs[], size_t n, uint32_t values[], size_t nv)
{
    (void)c;
    (void)refs;
    (void)values;
    (void)nv;
    return n == 0 ? fmi3OK : fmi3Error;
}

FMI_EXPORT fmi3Status fmi3SetUInt32(fmi3Instance c, const fmi3ValueReference refs[], size_t n, const uint32_t values[], size_t nv);
FMI_EXPORT fmi3Status fmi3SetUInt32(fmi3Instance c, const fmi3ValueReference refs[], size_t n, const uint32_t values[], size_t nv)
{
    (void)c;
    (void)refs;
    (void)values;
    (void)nv;
    return n == 0 ? fmi3OK : fmi3Error;
}

FMI_EXPORT fmi3Status fmi3GetInt64(fmi3Instance c, const fmi3ValueReference refs[], size_t n, int64_t values[], size_t nv);
FMI_EXPORT fmi3Status fmi3GetInt64(fmi3Instance c, const fmi3ValueReference refs[], size_t n, int64_t values[], size_t nv)
{
    (void)c;
    (void)refs;
    (void)values;
    (void)nv;
    return n == 0 ? fmi3OK : fmi3Error;
}

FMI_EXPORT fmi3Status fmi3SetInt64(fmi3Instance c, const fmi3ValueReference refs[], size_t n, const int64_t values[], size_t nv);
FMI_EXPORT fmi3Status fmi3SetInt64(fmi3Instance c, const fmi3ValueReference refs[], size_t n, const int64_t values[], size_t nv)
{
    (void)c;
    (void)refs;
    (void)values;
    (void)nv;
    return n == 0 ? fmi3OK : fmi3Error;
}

FMI_EXPORT fmi3Status fmi3GetUInt64(fmi3Instance c, const fmi3ValueReference refs[], size_t n, uint64_t values[], size_t nv);
FMI_EXPORT fmi3Status fmi3GetUInt64(fmi3Instance c, const fmi3ValueReference refs[], size_t n, uint64_t values[], size_t nv)
{
    (void)c;
    (void)refs;
    (void)values;
    (void)nv;
    return n == 0 ? fmi3OK : fmi3Error;
}

FMI_EXPORT fmi3Status fmi3SetUInt64(fmi3Instance c, const fmi3ValueReference refs[], size_t n, const uint64_t values[], size_t nv);
FMI_EXPORT fmi3Status fmi3SetUInt64(fmi3Instance c, const fmi3ValueReference refs[], size_t n, const uint64_t values[], size_t nv)
{
    (void)c;
    (void)refs;
    (void)values;
    (void)nv;
    return n == 0 ? fmi3OK : fmi3Error;
}

FMI_EXPORT fmi3Status fmi3GetBoolean(fmi3Instance c, const fmi3ValueReference refs[], size_t n, fmi3Boolean values[], size_t nv);
FMI_EXPORT fmi3Status fmi3GetBoolean(fmi3Instance c, const fmi3ValueReference refs[], size_t n, fmi3Boolean values[], size_t nv)
{
    (void)c;
    (void)refs;
    (void)values;
    (void)nv;
    return n == 0 ? fmi3OK : fmi3Error;
}

FMI_EXPORT fmi3Status fmi3SetBoolean(fmi3Instance c, const fmi3ValueReference refs[], size_t n, const fmi3Boolean values[], size_t nv);
FMI_EXPORT fmi3Status fmi3SetBoolean(fmi3Instance c, const fmi3ValueReference refs[], size_t n, const fmi3Boolean values[], size_t nv)
{
    (void)c;
    (void)refs;
    (void)values;
    (void)nv;
    return n == 0 ? fmi3OK : fmi3Error;
}

FMI_EXPORT fmi3Status fmi3GetString(fmi3Instance c, const fmi3ValueReference refs[], size_t n, fmi3String values[], size_t nv);
FMI_EXPORT fmi3Status fmi3GetString(fmi3Instance c, const fmi3ValueReference refs[], size_t n, fmi3String values[], size_t nv)
{
    (void)c;
    (void)refs;
    (void)values;
    (void)nv;
    return n == 0 ? fmi3OK : fmi3Error;
}

FMI_EXPORT fmi3Status fmi3SetString(fmi3Instance c, const fmi3ValueReference refs[], size_t n, const fmi3String values[], size_t nv);
FMI_EXPORT fmi3Status fmi3SetString(fmi3Instance c, const fmi3ValueReference refs[], size_t n, const fmi3String values[], size_t nv)
{
    (void)c;
    (void)refs;
    (void)values;
    (void)nv;
    return n == 0 ? fmi3OK : fmi3Error;
}

FMI_EXPORT fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState *state);
FMI_EXPORT fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState *state)
{
    if (*state == NULL) {
        *state = malloc(sizeof(struct unit));
    }
    if (*state == NULL) {
        return fmi3Error;
    }
    (void)memcpy(*state, c, sizeof(struct unit));
    return fmi3OK;
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
    (void)c;
    free(*state);
    *state = NULL;
    return fmi3OK;
}

FMI_EXPORT fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState state, size_t *size);
FMI_EXPORT fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState state, size_t *size)
{
    (void)c;
    (void)state;
    *size = sizeof(struct unit);
    return fmi3OK;
}

FMI_EXPORT fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size);
FMI_EXPORT fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size)
{
    (void)c;
    if (size < sizeof(struct unit)) {
        return fmi3Error;
    }
    (void)memcpy(bytes, state, sizeof(struct unit));
    return fmi3OK;
}

FMI_EXPORT fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte bytes[], size_t size, fmi3FMUState *state);
FMI_EXPORT fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte bytes[], size_t size, fmi3FMUState *state)
{
    (void)c;
    if (size != sizeof(struct unit)) {
        return fmi3Error;
    }
    *state = malloc(size);
    if (*state == NULL) {
        return fmi3Error;
    }
    (void)memcpy(*state, bytes, size);
    return fmi3OK;
}

FMI_EXPORT fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 time, fmi3Float64 exchange, fmi3Boolean no_return, fmi3Boolean *event, fmi3Boolean *terminate, fmi3Boolean *early, fmi3Float64 *reached);
FMI_EXPORT fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 time, fmi3Float64 exchange, fmi3Boolean no_return, fmi3Boolean *event, fmi3Boolean *terminate, fmi3Boolean *early, fmi3Float64 *reached)
{
    (void)no_return;
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

FMI_EXPORT fmi3Status fmi3GetBinary(fmi3Instance c, const fmi3ValueReference refs[], size_t n, size_t sizes[], const fmi3Byte *values[], size_t nv);
FMI_EXPORT fmi3Status fmi3GetBinary(fmi3Instance c, const fmi3ValueReference refs[], size_t n, size_t sizes[], const fmi3Byte *values[], size_t nv)
{
    (void)c;
    (void)refs;
    (void)n;
    (void)sizes;
    (void)values;
    (void)nv;
    return fmi3Error;
}

FMI_EXPORT fmi3Status fmi3SetBinary(fmi3Instance c, const fmi3ValueReference refs[], size_t n, const size_t sizes[], const fmi3Byte *const values[], size_t nv);
FMI_EXPORT fmi3Status fmi3SetBinary(fmi3Instance c, const fmi3ValueReference refs[], size_t n, const size_t sizes[], const fmi3Byte *const values[], size_t nv)
{
    (void)c;
    (void)refs;
    (void)n;
    (void)sizes;
    (void)values;
    (void)nv;
    return fmi3Error;
}

FMI_EXPORT fmi3Status fmi3GetClock(fmi3Instance c, const fmi3ValueReference refs[], size_t n, fmi3Boolean values[]);
FMI_EXPORT fmi3Status fmi3GetClock(fmi3Instance c, const fmi3ValueReference refs[], size_t n, fmi3Boolean values[])
{
    (void)c;
    (void)refs;
    (void)n;
    (void)values;
    return fmi3Error;
}

FMI_EXPORT fmi3Status fmi3SetClock(fmi3Instance c, const fmi3ValueReference refs[], size_t n, const fmi3Boolean values[]);
FMI_EXPORT fmi3Status fmi3SetClock(fmi3Instance c, const fmi3ValueReference refs[], size_t n, const fmi3Boolean values[])
{
    (void)c;
    (void)refs;
    (void)n;
    (void)values;
    return fmi3Error;
}

FMI_EXPORT fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance c, fmi3ValueReference ref, size_t *n);
FMI_EXPORT fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance c, fmi3ValueReference ref, size_t *n)
{
    (void)c;
    (void)ref;
    (void)n;
    return fmi3Error;
}

FMI_EXPORT fmi3Status fmi3GetVariableDependencies(fmi3Instance c, fmi3ValueReference ref, size_t own[], fmi3ValueReference others[], size_t places[], int kinds[], size_t n);
FMI_EXPORT fmi3Status fmi3GetVariableDependencies(fmi3Instance c, fmi3ValueReference ref, size_t own[], fmi3ValueReference others[], size_t places[], int kinds[], size_t n)
{
    (void)c;
    (void)ref;
    (void)own;
    (void)others;
    (void)places;
    (void)kinds;
    (void)n;
    return fmi3Error;
}

FMI_EXPORT fmi3Status fmi3GetDirectionalDerivative(fmi3Instance c, const fmi3ValueReference unknowns[], size_t nu, const fmi3ValueReference knowns[], size_t nk, const fmi3Float64 seed[], size_t ns, fmi3Float64 found[], size_t nf);
FMI_EXPORT fmi3Status fmi3GetDirectionalDerivative(fmi3Instance c, const fmi3ValueReference unknowns[], size_t nu, const fmi3ValueReference knowns[], size_t nk, const fmi3Float64 seed[], size_t ns, fmi3Float64 found[], size_t nf)
{
    (void)c;
    (void)unknowns;
    (void)nu;
    (void)knowns;
    (void)nk;
    (void)seed;
    (void)ns;
    (void)found;
    (void)nf;
    return fmi3Error;
}

FMI_EXPORT fmi3Status fmi3GetAdjointDerivative(fmi3Instance c, const fmi3ValueReference unknowns[], size_t nu, const fmi3ValueReference knowns[], size_t nk, const fmi3Float64 seed[], size_t ns, fmi3Float64 found[], size_t nf);
FMI_EXPORT fmi3Status fmi3GetAdjointDerivative(fmi3Instance c, const fmi3ValueReference unknowns[], size_t nu, const fmi3ValueReference knowns[], size_t nk, const fmi3Float64 seed[], size_t ns, fmi3Float64 found[], size_t nf)
{
    (void)c;
    (void)unknowns;
    (void)nu;
    (void)knowns;
    (void)nk;
    (void)seed;
    (void)ns;
    (void)found;
    (void)nf;
    return fmi3Error;
}

FMI_EXPORT fmi3Status fmi3GetIntervalDecimal(fmi3Instance c, const fmi3ValueReference refs[], size_t n, fmi3Float64 intervals[], int qualifiers[]);
FMI_EXPORT fmi3Status fmi3GetIntervalDecimal(fmi3Instance c, const fmi3ValueReference refs[], size_t n, fmi3Float64 intervals[], int qualifiers[])
{
    (void)c;
    (void)refs;
    (void)n;
    (void)intervals;
    (void)qualifiers;
    return fmi3Error;
}

FMI_EXPORT fmi3Status fmi3GetIntervalFraction(fmi3Instance c, const fmi3ValueReference refs[], size_t n, uint64_t counters[], uint64_t resolutions[], int qualifiers[]);
FMI_EXPORT fmi3Status fmi3GetIntervalFraction(fmi3Instance c, const fmi3ValueReference refs[], size_t n, uint64_t counters[], uint64_t resolutions[], int qualifiers[])
{
    (void)c;
    (void)refs;
    (void)n;
    (void)counters;
    (void)resolutions;
    (void)qualifiers;
    return fmi3Error;
}

FMI_EXPORT fmi3Status fmi3GetShiftDecimal(fmi3Instance c, const fmi3ValueReference refs[], size_t n, fmi3Float64 shifts[]);
FMI_EXPORT fmi3Status fmi3GetShiftDecimal(fmi3Instance c, const fmi3ValueReference refs[], size_t n, fmi3Float64 shifts[])
{
    (void)c;
    (void)refs;
    (void)n;
    (void)shifts;
    return fmi3Error;
}

FMI_EXPORT fmi3Status fmi3GetShiftFraction(fmi3Instance c, const fmi3ValueReference refs[], size_t n, uint64_t counters[], uint64_t resolutions[]);
FMI_EXPORT fmi3Status fmi3GetShiftFraction(fmi3Instance c, const fmi3ValueReference refs[], size_t n, uint64_t counters[], uint64_t resolutions[])
{
    (void)c;
    (void)refs;
    (void)n;
    (void)counters;
    (void)resolutions;
    return fmi3Error;
}

FMI_EXPORT fmi3Status fmi3SetIntervalDecimal(fmi3Instance c, const fmi3ValueReference refs[], size_t n, const fmi3Float64 intervals[]);
FMI_EXPORT fmi3Status fmi3SetIntervalDecimal(fmi3Instance c, const fmi3ValueReference refs[], size_t n, const fmi3Float64 intervals[])
{
    (void)c;
    (void)refs;
    (void)n;
    (void)intervals;
    return fmi3Error;
}

FMI_EXPORT fmi3Status fmi3SetIntervalFraction(fmi3Instance c, const fmi3ValueReference refs[], size_t n, const uint64_t counters[], const uint64_t resolutions[]);
FMI_EXPORT fmi3Status fmi3SetIntervalFraction(fmi3Instance c, const fmi3ValueReference refs[], size_t n, const uint64_t counters[], const uint64_t resolutions[])
{
    (void)c;
    (void)refs;
    (void)n;
    (void)counters;
    (void)resolutions;
    return fmi3Error;
}

FMI_EXPORT fmi3Status fmi3SetShiftDecimal(fmi3Instance c, const fmi3ValueReference refs[], size_t n, const fmi3Float64 shifts[]);
FMI_EXPORT fmi3Status fmi3SetShiftDecimal(fmi3Instance c, const fmi3ValueReference refs[], size_t n, const fmi3Float64 shifts[])
{
    (void)c;
    (void)refs;
    (void)n;
    (void)shifts;
    return fmi3Error;
}

FMI_EXPORT fmi3Status fmi3SetShiftFraction(fmi3Instance c, const fmi3ValueReference refs[], size_t n, const uint64_t counters[], const uint64_t resolutions[]);
FMI_EXPORT fmi3Status fmi3SetShiftFraction(fmi3Instance c, const fmi3ValueReference refs[], size_t n, const uint64_t counters[], const uint64_t resolutions[])
{
    (void)c;
    (void)refs;
    (void)n;
    (void)counters;
    (void)resolutions;
    return fmi3Error;
}

FMI_EXPORT fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance c);
FMI_EXPORT fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance c)
{
    (void)c;
    return fmi3Error;
}

FMI_EXPORT fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean *again, fmi3Boolean *terminate, fmi3Boolean *nominals, fmi3Boolean *changed, fmi3Boolean *defined, fmi3Float64 *next);
FMI_EXPORT fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean *again, fmi3Boolean *terminate, fmi3Boolean *nominals, fmi3Boolean *changed, fmi3Boolean *defined, fmi3Float64 *next)
{
    (void)c;
    (void)again;
    (void)terminate;
    (void)nominals;
    (void)changed;
    (void)defined;
    (void)next;
    return fmi3Error;
}

FMI_EXPORT fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance c);
FMI_EXPORT fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance c)
{
    (void)c;
    return fmi3Error;
}

FMI_EXPORT fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, fmi3Boolean no_return, fmi3Boolean *event, fmi3Boolean *terminate);
FMI_EXPORT fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, fmi3Boolean no_return, fmi3Boolean *event, fmi3Boolean *terminate)
{
    (void)c;
    (void)no_return;
    (void)event;
    (void)terminate;
    return fmi3Error;
}

FMI_EXPORT fmi3Status fmi3SetTime(fmi3Instance c, fmi3Float64 time);
FMI_EXPORT fmi3Status fmi3SetTime(fmi3Instance c, fmi3Float64 time)
{
    (void)c;
    (void)time;
    return fmi3Error;
}

FMI_EXPORT fmi3Status fmi3SetContinuousStates(fmi3Instance c, const fmi3Float64 states[], size_t n);
FMI_EXPORT fmi3Status fmi3SetContinuousStates(fmi3Instance c, const fmi3Float64 states[], size_t n)
{
    (void)c;
    (void)states;
    (void)n;
    return fmi3Error;
}

FMI_EXPORT fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, fmi3Float64 values[], size_t n);
FMI_EXPORT fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, fmi3Float64 values[], size_t n)
{
    (void)c;
    (void)values;
    (void)n;
    return fmi3Error;
}

FMI_EXPORT fmi3Status fmi3GetEventIndicators(fmi3Instance c, fmi3Float64 values[], size_t n);
FMI_EXPORT fmi3Status fmi3GetEventIndicators(fmi3Instance c, fmi3Float64 values[], size_t n)
{
    (void)c;
    (void)values;
    (void)n;
    return fmi3Error;
}

FMI_EXPORT fmi3Status fmi3GetContinuousStates(fmi3Instance c, fmi3Float64 values[], size_t n);
FMI_EXPORT fmi3Status fmi3GetContinuousStates(fmi3Instance c, fmi3Float64 values[], size_t n)
{
    (void)c;
    (void)values;
    (void)n;
    return fmi3Error;
}

FMI_EXPORT fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance c, fmi3Float64 values[], size_t n);
FMI_EXPORT fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance c, fmi3Float64 values[], size_t n)
{
    (void)c;
    (void)values;
    (void)n;
    return fmi3Error;
}

FMI_EXPORT fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t *n);
FMI_EXPORT fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t *n)
{
    (void)c;
    (void)n;
    return fmi3Error;
}

FMI_EXPORT fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t *n);
FMI_EXPORT fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t *n)
{
    (void)c;
    (void)n;
    return fmi3Error;
}

FMI_EXPORT fmi3Status fmi3GetOutputDerivatives(fmi3Instance c, const fmi3ValueReference refs[], size_t n, const int32_t orders[], fmi3Float64 values[], size_t nv);
FMI_EXPORT fmi3Status fmi3GetOutputDerivatives(fmi3Instance c, const fmi3ValueReference refs[], size_t n, const int32_t orders[], fmi3Float64 values[], size_t nv)
{
    (void)c;
    (void)refs;
    (void)n;
    (void)orders;
    (void)values;
    (void)nv;
    return fmi3Error;
}

FMI_EXPORT fmi3Status fmi3ActivateModelPartition(fmi3Instance c, fmi3ValueReference clock, fmi3Float64 time);
FMI_EXPORT fmi3Status fmi3ActivateModelPartition(fmi3Instance c, fmi3ValueReference clock, fmi3Float64 time)
{
    (void)c;
    (void)clock;
    (void)time;
    return fmi3Error;
}
