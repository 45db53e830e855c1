// A host program that launches kernels itself, by way of ACL.
#pragma once
#include <functional>
#include "launch.h"

namespace machine {

struct HostProgram {
    LaunchConfig config; // with type -1: each launch has its own
    GlobalMemory memory;
    std::vector<std::unique_ptr<Launch>> launches;
};

HostProgram &hostProgram();

} // namespace machine
