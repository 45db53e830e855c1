// The part of ACL that a host program needs to run kernels: device memory, copies and launches, on the host machine.
#pragma once
#include <cstddef>
#include <cstdint>
#include "machine/kernel.h"

using aclError = int;
using aclrtStream = void *;
using aclrtContext = void *;
using aclrtEvent = void *;

constexpr aclError ACL_SUCCESS = 0;
constexpr aclError ACL_ERROR_NONE = 0;
constexpr aclError ACL_ERROR_INVALID_PARAM = 100000;

enum aclrtMemMallocPolicy { ACL_MEM_MALLOC_HUGE_FIRST, ACL_MEM_MALLOC_HUGE_ONLY, ACL_MEM_MALLOC_NORMAL_ONLY };
enum aclrtMemcpyKind { ACL_MEMCPY_HOST_TO_HOST, ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_HOST, ACL_MEMCPY_DEVICE_TO_DEVICE };

aclError aclInit(const char *config);
aclError aclFinalize();
aclError aclrtSetDevice(int32_t device);
aclError aclrtResetDevice(int32_t device);
aclError aclrtCreateContext(aclrtContext *context, int32_t device);
aclError aclrtDestroyContext(aclrtContext context);
aclError aclrtCreateStream(aclrtStream *stream);
aclError aclrtDestroyStream(aclrtStream stream);
aclError aclrtSynchronizeStream(aclrtStream stream);
aclError aclrtSynchronizeDevice();
aclError aclrtMalloc(void **pointer, size_t bytes, aclrtMemMallocPolicy policy);
aclError aclrtFree(void *pointer);
aclError aclrtMallocHost(void **pointer, size_t bytes);
aclError aclrtFreeHost(void *pointer);
aclError aclrtMemcpy(void *to, size_t room, const void *from, size_t bytes, aclrtMemcpyKind kind);
aclError aclrtMemcpyAsync(void *to, size_t room, const void *from, size_t bytes, aclrtMemcpyKind kind, aclrtStream stream);
aclError aclrtMemset(void *to, size_t room, int32_t value, size_t bytes);
const char *aclGetRecentErrMsg();
