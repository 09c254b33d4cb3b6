"""A mass on a spring as real native units of FMI 2.0 and 3.0, compiled here; and the same in NumPy.

m ẍ + c ẋ + k x = F,   m = 2 kg, c = 3 N·s/m, k a parameter, ten Runge–Kutta steps of order four per exchange step
"""

import platform
import re
import shutil
import subprocess
import sys
import zipfile
from importlib import resources

import numpy as np
import pytest

SUBSTEPS, MASS, DAMPING, STIFFNESS = 10, 2.0, 3.0, 50.0

needs_compiler = pytest.mark.skipif(
    not sys.platform.startswith("linux") or platform.machine() != "x86_64" or shutil.which("gcc") is None,
    reason="compiles units for Linux on x86-64 with gcc",
)

MODEL = r"""
#include <stdlib.h>
#include <string.h>
typedef struct { double t, x, v, F, F_dot, k; int begun; void *log; void *env; } M;
static int begin(M *m) { return m->begun ? 3 : (m->begun = 1, 0); } /* only out of initialisation */
static void rate(const M *m, double t, const double *x, double *out) {
    out[0] = x[1];
    out[1] = (m->F + m->F_dot * t - 3.0 * x[1] - m->k * x[0]) / 2.0;
}
static void march(M *m, double dt) {
    double h = dt / 10, x[2] = {m->x, m->v}, y[2], k1[2], k2[2], k3[2], k4[2];
    for (int n = 0; n < 10; n++) {
        double t = n * h;
        rate(m, t, x, k1);
        for (int i = 0; i < 2; i++) y[i] = x[i] + h / 2 * k1[i];
        rate(m, t + h / 2, y, k2);
        for (int i = 0; i < 2; i++) y[i] = x[i] + h / 2 * k2[i];
        rate(m, t + h / 2, y, k3);
        for (int i = 0; i < 2; i++) y[i] = x[i] + h * k3[i];
        rate(m, t + h, y, k4);
        for (int i = 0; i < 2; i++) x[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    }
    m->x = x[0]; m->v = x[1]; m->F += m->F_dot * dt; m->F_dot = 0; m->t += dt;
}
static double *slot(M *m, unsigned r) {
    return r == 1 ? &m->F : r == 2 ? &m->x : r == 3 ? &m->v : &m->k;
}
static int get(M *m, const unsigned *r, size_t n, double *v) { while (n--) v[n] = *slot(m, r[n]); return 0; }
static int set(M *m, const unsigned *r, size_t n, const double *v) { while (n--) *slot(m, r[n]) = v[n]; return 0; }
static M *fresh(void) { M *m = calloc(1, sizeof(M)); m->k = 50.0; return m; }
"""

TWO = r"""
typedef void (*L)(void *, const char *, int, const char *, const char *, ...);
typedef struct { L logger; void *a, *b, *c, *env; } C;
const char *fmi2GetVersion(void) { return "2.0"; }
const char *fmi2GetTypesPlatform(void) { return "default"; }
void *fmi2Instantiate(const char *n, int t, const char *g, const char *r, const C *c, int v, int l) {
    if (strcmp(g, "mass-token")) { c->logger(0, n, 3, "", "wrong token %s", g); return 0; }
    M *m = fresh(); m->log = (void *)c->logger; return m;
}
void fmi2FreeInstance(void *c) { free(c); }
int fmi2SetupExperiment(void *c, int a, double b, double t, int d, double e) { ((M *)c)->t = t; return 0; }
int fmi2EnterInitializationMode(void *c) { return 0; }
int fmi2ExitInitializationMode(void *c) { return begin(c); }
int fmi2Terminate(void *c) { return 0; }
int fmi2GetReal(void *c, const unsigned *r, size_t n, double *v) { return get(c, r, n, v); }
int fmi2SetReal(void *c, const unsigned *r, size_t n, const double *v) { return set(c, r, n, v); }
int fmi2SetRealInputDerivatives(void *c, const unsigned *r, size_t n, const int *o, const double *v) {
    ((M *)c)->F_dot = v[0];
    return 0;
}
int fmi2GetFMUstate(void *c, void **s) { M *k = malloc(sizeof(M)); *k = *(M *)c; *s = k; return 0; }
int fmi2SetFMUstate(void *c, void *s) { *(M *)c = *(M *)s; return 0; }
int fmi2FreeFMUstate(void *c, void **s) { free(*s); *s = 0; return 0; }
int fmi2DoStep(void *c, double t, double dt, int final) {
    M *m = c;
    if (!m->begun) return 3;
    if (dt > 1.0) {
        ((L)m->log)(0, "mass", 2, "", "a step of %g s is too long", dt);
        return 2;
    }
    march(m, dt);
    return 0;
}
"""

THREE = r"""
#include <stdbool.h>
typedef void (*L)(void *, int, const char *, const char *);
const char *fmi3GetVersion(void) { return "3.0"; }
void *fmi3InstantiateCoSimulation(const char *n, const char *g, const char *r, bool v, bool l, bool e, bool x,
                                  const unsigned *q, size_t nq, void *env, L log, void *up) {
    if (strcmp(g, "mass-token")) return 0;
    M *m = fresh(); m->log = (void *)log; m->env = env; return m;
}
void fmi3FreeInstance(void *c) { free(c); }
int fmi3EnterInitializationMode(void *c, bool a, double b, double t, bool d, double e) { ((M *)c)->t = t; return 0; }
int fmi3ExitInitializationMode(void *c) { return begin(c); }
int fmi3Terminate(void *c) { return 0; }
int fmi3GetFloat64(void *c, const unsigned *r, size_t n, double *v, size_t nv) { return get(c, r, n, v); }
int fmi3SetFloat64(void *c, const unsigned *r, size_t n, const double *v, size_t nv) { return set(c, r, n, v); }
int fmi3GetFMUState(void *c, void **s) { M *k = malloc(sizeof(M)); *k = *(M *)c; *s = k; return 0; }
int fmi3SetFMUState(void *c, void *s) { *(M *)c = *(M *)s; return 0; }
int fmi3FreeFMUState(void *c, void **s) { free(*s); *s = 0; return 0; }
int fmi3DoStep(void *c, double t, double dt, bool final, bool *event, bool *stop, bool *early, double *last) {
    M *m = c;
    if (!m->begun) return 3;
    if (dt > 1.0) { ((L)m->log)(m->env, 2, "", "a step is too long"); return 2; }
    march(m, dt);
    *event = *early = false; *stop = m->t > 5.0; *last = t + dt;
    return 0;
}
"""

XML2 = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="mass" guid="mass-token" generationTool="by hand">
 <{interface} modelIdentifier="mass" {options}/>
 <ModelVariables>
  <ScalarVariable name="F" valueReference="1" causality="input"><Real start="0" unit="N"/></ScalarVariable>
  <ScalarVariable name="x" valueReference="2" causality="output"><Real unit="m"/></ScalarVariable>
  <ScalarVariable name="v" valueReference="3" causality="output"><Real/></ScalarVariable>
  <ScalarVariable name="k" valueReference="4" causality="parameter" variability="fixed">
   <Real start="50"/>
  </ScalarVariable>
  <ScalarVariable name="n" valueReference="5" causality="input"><Integer start="0"/></ScalarVariable>
 </ModelVariables>
 <ModelStructure><Outputs><Unknown index="2"/><Unknown index="3"/></Outputs></ModelStructure>
</fmiModelDescription>
"""

XML3 = """<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName="mass" instantiationToken="mass-token" generationTool="by hand">
 <{interface} modelIdentifier="mass" {options}/>
 <ModelVariables>
  <Float64 name="time" valueReference="0" causality="independent" variability="continuous"/>
  <Float64 name="F" valueReference="1" causality="input" start="0"/>
  <Float64 name="x" valueReference="2" causality="output"/>
  <Float64 name="v" valueReference="3" causality="output"/>
  <Float64 name="k" valueReference="4" causality="parameter" variability="fixed" start="50"/>
 </ModelVariables>
 <ModelStructure><Output valueReference="2"/><Output valueReference="3"/></ModelStructure>
</fmiModelDescription>
"""
ALL = {"2.0": "canGetAndSetFMUstate", "3.0": "canGetAndSetFMUState"}
EVERY = 'canHandleVariableCommunicationStepSize="true"'


def unit(path, version, *, options=EVERY, state=True, interface="CoSimulation", library=True, xml=None):
    """Write the unit; ``library``: with its compiled binary."""
    if state:
        options += f' {ALL[version]}="true"'
    text = xml or {"2.0": XML2, "3.0": XML3}[version].format(options=options, interface=interface)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("modelDescription.xml", text)
        folder = {"2.0": "linux64", "3.0": "x86_64-linux"}[version] if library is not None else "x86-amiga"
        archive.writestr(f"binaries/{folder}/mass.so", compiled(path.parent, version) if library else b"not ELF")
    return path


def compiled(folder, version):
    source = MODEL + {"2.0": TWO, "3.0": THREE}[version]
    prefix = f"fmi{version[0]}"
    # fmpy wants every function of the standard to be there; those not needed here return an error
    api = (resources.files("fmpy") / f"{prefix}.py").read_text()
    names = sorted(set(re.findall(rf"def ({prefix}\w+)\(", api)))
    source += "".join(f"int {n}(void) {{ return 3; }}\n" for n in names if f"{n}(" not in source)
    target = folder / f"mass{version[0]}.so"
    command = ["gcc", "-O1", "-ffp-contract=off", "-shared", "-fPIC", "-w", "-x", "c", "-", "-o", str(target)]
    subprocess.run(command, input=source, text=True, check=True, capture_output=True)
    return target.read_bytes()


class Mass:
    """The same in NumPy."""

    def __init__(self, stiffness=STIFFNESS):
        self.x, self.k = np.zeros(2), stiffness

    def advance(self, dt, F0, F1):
        h = dt / SUBSTEPS
        f = lambda t, x: np.array([x[1], (F0 + (F1 - F0) / dt * t - DAMPING * x[1] - self.k * x[0]) / MASS])
        for n in range(SUBSTEPS):
            t, x = n * h, self.x
            k1 = f(t, x)
            k2 = f(t + h / 2, x + h / 2 * k1)
            k3 = f(t + h / 2, x + h / 2 * k2)
            k4 = f(t + h, x + h * k3)
            self.x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return self.x.copy()
