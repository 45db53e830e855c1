// A stand-in for the CUDA driver, for tests: one GPU whose memory is the host's and which knows one kernel,
// scale(const float* x, float* y, int64 n, float by). It checks what the real driver would refuse.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int32_t Result;
enum { OK = 0, INVALID_VALUE = 1, NO_DEVICE = 100, INVALID_CONTEXT = 201, INVALID_PTX = 218, NOT_FOUND = 500, ILLEGAL_ADDRESS = 700 };

static char context_storage, function_storage;
static __thread void *current;
static int retained, modules, blocks, opted, sticky;

// What tests read to see that nothing is left.
void fakeState(int *out) { out[0] = retained; out[1] = modules; out[2] = blocks; out[3] = opted; }

#define NEEDS_CONTEXT if (current != &context_storage) return INVALID_CONTEXT; if (sticky) return sticky

Result cuInit(unsigned flags) { const char *fail = getenv("FAKE_CUDA_INIT"); return fail ? atoi(fail) : flags ? INVALID_VALUE : OK; }
Result cuDriverGetVersion(int *v) { *v = 13050; return OK; }
Result cuGetErrorName(Result code, const char **text) { *text = code == INVALID_PTX ? "CUDA_ERROR_INVALID_PTX" : code == ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_OTHER"; return OK; }
Result cuGetErrorString(Result code, const char **text) { if (code == NOT_FOUND) return INVALID_VALUE; *text = "text of the error"; return OK; }
Result cuDeviceGetCount(int *n) { *n = 1; return OK; }
Result cuDeviceGet(int *device, int ordinal) { if (ordinal != 0) return 101; *device = 7; return OK; }
Result cuDeviceGetName(char *name, int length, int device) { if (device != 7) return INVALID_VALUE; strncpy(name, "Fake GPU", length); return OK; }
Result cuDeviceTotalMem_v2(size_t *bytes, int device) { *bytes = (size_t)5 << 32; return device == 7 ? OK : INVALID_VALUE; }
Result cuDeviceGetAttribute(int *v, int attribute, int device) {
  if (device != 7) return INVALID_VALUE;
  switch (attribute) {
  case 16: *v = 132; return OK;
  case 75: *v = 9; return OK;
  case 76: *v = 0; return OK;
  case 97: *v = 232448; return OK;
  }
  return INVALID_VALUE;
}
Result cuDevicePrimaryCtxRetain(void **context, int device) { *context = &context_storage; retained++; return device == 7 ? OK : INVALID_VALUE; }
Result cuDevicePrimaryCtxRelease_v2(int device) { retained--; return device == 7 ? OK : INVALID_VALUE; }
Result cuCtxSetCurrent(void *context) { current = context; return OK; }
Result cuCtxSynchronize(void) { NEEDS_CONTEXT; return OK; }
Result cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options, void **values) {
  NEEDS_CONTEXT;
  if (strncmp(image, "bad", 3) == 0) {
    if (count != 2 || options[0] != 5 || options[1] != 6 || (size_t)values[1] < 64) return INVALID_VALUE;
    strcpy(values[0], "ptxas fatal: no such thing");
    return INVALID_PTX;
  }
  modules++;
  *module = strdup(image);
  return OK;
}
Result cuModuleUnload(void *module) { NEEDS_CONTEXT; modules--; free(module); return OK; }
Result cuModuleGetFunction(void **function, void *module, const char *name) {
  NEEDS_CONTEXT;
  if (strcmp(name, "scale") != 0 || module == 0) return NOT_FOUND;
  *function = &function_storage;
  return OK;
}
Result cuFuncGetAttribute(int *v, int attribute, void *function) { NEEDS_CONTEXT; *v = attribute == 4 ? 42 : attribute == 3 ? 16 : -1; return OK; }
Result cuFuncSetAttribute(void *function, int attribute, int v) {
  NEEDS_CONTEXT;
  if (function != &function_storage || attribute != 8 || v > 232448) return INVALID_VALUE;
  opted = v;
  return OK;
}
Result cuMemAlloc_v2(uint64_t *p, size_t bytes) {
  NEEDS_CONTEXT;
  if (bytes == 0) return INVALID_VALUE;
  void *block = aligned_alloc(256, (bytes + 255) / 256 * 256);
  memset(block, 0xcd, bytes);
  blocks++;
  *p = (uint64_t)block;
  return OK;
}
Result cuMemFree_v2(uint64_t p) { NEEDS_CONTEXT; blocks--; free((void *)p); return OK; }
Result cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) { NEEDS_CONTEXT; memcpy((void *)to, from, bytes); return OK; }
Result cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) { NEEDS_CONTEXT; memcpy(to, (void *)from, bytes); return OK; }
Result cuMemsetD8_v2(uint64_t p, unsigned char value, size_t count) { NEEDS_CONTEXT; memset((void *)p, value, count); return OK; }
Result cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
                      void *stream, void **params, void **extra) {
  NEEDS_CONTEXT;
  if (function != &function_storage || stream || extra || gx * gy * gz == 0 || by != 1 || bz != 1) return INVALID_VALUE;
  if (shared > 49152 && (int)shared > opted) return INVALID_VALUE;
  const float *x = *(const float **)params[0];
  float *y = *(float **)params[1];
  int64_t n = *(int64_t *)params[2];
  float factor = *(float *)params[3];
  if (n < 0) { sticky = ILLEGAL_ADDRESS; return OK; }
  for (int64_t i = 0; i < n && i < (int64_t)gx * bx; i++) y[i] = x[i] * factor;
  return OK;
}
