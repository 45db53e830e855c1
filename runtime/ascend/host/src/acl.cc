// ACL on the host machine, for host programs that launch kernels themselves.
#include "acl/acl.h"
#include <cstdlib>
#include <cstring>
#include "host.h"

namespace machine {

HostProgram &hostProgram() {
    static HostProgram program;
    return program;
}

void hostLaunch(int task, int64_t blocks, const std::function<void()> &kernel) {
    HostProgram &h = hostProgram();
    LaunchConfig config = h.config;
    if (config.type == TaskType(-1)) config.type = TaskType(task);
    config.blocks = int(blocks);
    h.launches.push_back(std::make_unique<Launch>(config, h.memory));
    h.launches.back()->run(kernel);
}

} // namespace machine

using machine::hostProgram;

aclError aclInit(const char *) { return ACL_SUCCESS; }
aclError aclFinalize() { return ACL_SUCCESS; }
aclError aclrtSetDevice(int32_t) { return ACL_SUCCESS; }
aclError aclrtResetDevice(int32_t) { return ACL_SUCCESS; }
aclError aclrtCreateContext(aclrtContext *c, int32_t) { return *c = c, ACL_SUCCESS; }
aclError aclrtDestroyContext(aclrtContext) { return ACL_SUCCESS; }
aclError aclrtCreateStream(aclrtStream *s) { return *s = s, ACL_SUCCESS; }
aclError aclrtDestroyStream(aclrtStream) { return ACL_SUCCESS; }
aclError aclrtSynchronizeStream(aclrtStream) { return ACL_SUCCESS; }
aclError aclrtSynchronizeDevice() { return ACL_SUCCESS; }
const char *aclGetRecentErrMsg() { return ""; }

aclError aclrtMalloc(void **p, size_t bytes, aclrtMemMallocPolicy) {
    auto &memory = hostProgram().memory;
    auto &r = memory.add("allocation " + std::to_string(memory.regions.size() + 1), bytes, false, true, false);
    std::memset(r.begin, 0, bytes); // as a fresh device allocation mostly is
    *p = r.begin;
    return ACL_SUCCESS;
}

aclError aclrtFree(void *p) { return hostProgram().memory.remove(static_cast<uint8_t *>(p)) ? ACL_SUCCESS : ACL_ERROR_INVALID_PARAM; }
aclError aclrtMallocHost(void **p, size_t bytes) { return (*p = std::malloc(bytes ? bytes : 1)) ? ACL_SUCCESS : ACL_ERROR_INVALID_PARAM; }
aclError aclrtFreeHost(void *p) { return std::free(p), ACL_SUCCESS; }

aclError aclrtMemcpy(void *to, size_t room, const void *from, size_t bytes, aclrtMemcpyKind) {
    if (bytes > room) return ACL_ERROR_INVALID_PARAM;
    std::memcpy(to, from, bytes);
    auto *p = static_cast<uint8_t *>(to);
    auto &memory = hostProgram().memory;
    if (auto *r = memory.find(p))
        if (p + bytes <= r->end) memory.define(*r, {p, 1, bytes, bytes});
    return ACL_SUCCESS;
}
aclError aclrtMemcpyAsync(void *to, size_t room, const void *from, size_t bytes, aclrtMemcpyKind kind, aclrtStream) {
    return aclrtMemcpy(to, room, from, bytes, kind);
}
aclError aclrtMemset(void *to, size_t room, int32_t value, size_t bytes) {
    if (bytes > room) return ACL_ERROR_INVALID_PARAM;
    std::memset(to, value, bytes);
    auto *p = static_cast<uint8_t *>(to);
    auto &memory = hostProgram().memory;
    if (auto *r = memory.find(p)) memory.define(*r, {p, 1, bytes, bytes});
    return ACL_SUCCESS;
}
