/* An importer of FMI 3.0 that knows nothing of Python: binary, token, resources; then value references to read. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

typedef void *Instance;

static void hear(void *environment, int status, const char *category, const char *text) {
    fprintf(stderr, "[%d] %s\n", status, text);
}

int main(int count, char **word) {
    void *unit = dlopen(word[1], RTLD_NOW | RTLD_LOCAL);
    if (!unit) return fprintf(stderr, "%s\n", dlerror()), 1;
    Instance (*begin)(const char *, const char *, const char *, bool, bool, bool, bool, const unsigned *, size_t,
                      void *, void (*)(void *, int, const char *, const char *), void *) =
        dlsym(unit, "fmi3InstantiateCoSimulation");
    int (*enter)(Instance, bool, double, double, bool, double) = dlsym(unit, "fmi3EnterInitializationMode");
    int (*leave)(Instance) = dlsym(unit, "fmi3ExitInitializationMode");
    int (*step)(Instance, double, double, bool, bool *, bool *, bool *, double *) = dlsym(unit, "fmi3DoStep");
    int (*get)(Instance, const unsigned *, size_t, double *, size_t) = dlsym(unit, "fmi3GetFloat64");
    int (*end)(Instance) = dlsym(unit, "fmi3Terminate");
    void (*let_go)(Instance) = dlsym(unit, "fmi3FreeInstance");

    Instance it = begin("unit", word[2], word[3], false, false, false, false, NULL, 0, NULL, hear, NULL);
    if (!it || enter(it, false, 0.0, 0.0, false, 0.0) || leave(it)) return 2;
    for (int k = 0; k < 10; k++) {
        bool event, stop, early;
        double last, value;
        if (step(it, k * 1e-3, 1e-3, true, &event, &stop, &early, &last)) return 3;
        for (int i = 4; i < count; i++) {
            unsigned reference = (unsigned)atoi(word[i]);
            if (get(it, &reference, 1, &value, 1)) return 4;
            printf("%.17g ", value);
        }
        printf("\n");
    }
    end(it);
    let_go(it);
    return 0;
}
