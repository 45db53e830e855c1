// The program that runs one launch: a request on standard input, the report and the results on standard output.
#include <csignal>
#include <dlfcn.h>
#include <unistd.h>
#include "host.h"
#include "machine/kernel.h"
#include "wire.h"

namespace machine {

static Kernel *kernels;
static int (*program)(int, char **);

void registerMain(int (*f)(int, char **)) { program = f; }

void registerKernel(Kernel *k) {
    k->next = kernels;
    kernels = k;
}

static std::string place(const Place &p) {
    return "{\"file\":" + quoted(p.file) + ",\"line\":" + std::to_string(p.line) + ",\"name\":" + quoted(p.name) + "}";
}

static std::string findingText(const Finding &f, const Launch &l) {
    auto core = [&](int i) {
        if (i < 0) return std::string("null");
        const Core &c = *l.cores[i];
        return "{\"cube\":" + std::string(c.cube ? "true" : "false") + ",\"block\":" + std::to_string(c.block) + ",\"sub\":" + std::to_string(c.sub) + "}";
    };
    std::string s = "{\"kind\":" + quoted(f.kind) + ",\"message\":" + quoted(f.message) + ",\"at\":" + place(f.at) + ",\"core\":" + core(f.core);
    if (f.other.line) s += ",\"other\":" + place(f.other) + ",\"otherCore\":" + core(f.otherCore);
    s += ",\"pipe\":" + quoted(f.pipe) + ",\"otherPipe\":" + quoted(f.otherPipe) + ",\"space\":" + quoted(f.space);
    s += ",\"addr\":" + std::to_string(f.addr) + ",\"bytes\":" + std::to_string(f.bytes) + ",\"count\":" + std::to_string(f.count);
    return s + ",\"autoSync\":" + (f.autoSync ? "true" : "false") + "}";
}

template <class M> static std::string mapText(const M &m) {
    std::string s = "{";
    for (auto &e : m) s += (s.size() > 1 ? "," : "") + quoted(e.first) + ":" + std::to_string(e.second);
    return s + "}";
}

static std::string coreText(const Core &c) {
    const Counters &n = c.counters;
    std::string s = "{\"core\":{\"cube\":" + std::string(c.cube ? "true" : "false") + ",\"block\":" + std::to_string(c.block) + ",\"sub\":" + std::to_string(c.sub) + "}";
    s += ",\"instructions\":" + mapText(n.instructions) + ",\"bytes\":" + mapText(n.bytes);
    s += ",\"flags\":" + std::to_string(n.flags) + ",\"waits\":" + std::to_string(n.waits) + ",\"barriers\":" + std::to_string(n.barriers);
    s += ",\"crossFlags\":" + std::to_string(n.crossFlags) + ",\"cycles\":" + std::to_string(n.cycles) + ",\"busy\":{";
    bool first = true;
    for (int p = 0; p < Loads; p++)
        if (n.busy[p] > 0) s += std::string(first ? "" : ",") + quoted(pipeName(Pipe(p))) + ":" + std::to_string(n.busy[p]), first = false;
    return s + "}}";
}

// byHand reports that the program puts such orders as a finding misses by itself: what it misses then is its own fault.
static bool byHand(const Finding &f, const Launch &l) {
    bool vector = f.pipe == std::string("V") && f.otherPipe == std::string("V");
    for (auto &c : l.cores)
        if (vector ? c->ordersVector : c->ordersScalar) return true;
    return false;
}

static std::string report(const std::vector<const Launch *> &launches) {
    std::string cores, printed, list;
    for (auto *l : launches) {
        Findings all; // the same fault of several cores is one
        for (auto &c : l->cores) {
            for (Finding f : c->findings.all()) {
                f.autoSync = f.autoSync && !byHand(f, *l);
                all.add(std::move(f));
            }
            cores += (cores.empty() ? "" : ",") + coreText(*c);
            printed += c->printed;
        }
        for (auto &f : all.all()) list += (list.empty() ? "" : ",") + findingText(f, *l);
    }
    return "{\"findings\":[" + list + "],\"cores\":[" + cores + "],\"printed\":" + quoted(printed) + "}";
}

// crashed says where the kernel was when it did what the machine cannot watch.
static void crashed(int sig) {
    char text[512];
    Core *c = currentCore;
    Place p = c ? c->last() : Place();
    int n = snprintf(text, sizeof text, "the kernel crashed with %s, after %s at %s:%d\n", strsignal(sig), p.name, p.file, p.line);
    if (write(2, text, n) < 0) _exit(5);
    _exit(4);
}

static void readConfig(Reader &in, LaunchConfig &c) {
    c.type = TaskType(in.number<uint32_t>());
    c.blocks = int(in.number<uint32_t>());
    c.workers = int(in.number<uint32_t>());
    c.tilingKey = in.number<uint64_t>();
    c.dry = in.number<uint8_t>();
    for (int s = 1; s < kSpaces; s++) c.capacity[s] = in.number<uint32_t>();
    c.capacity[GM] = 1u << 31;
    Rates &r = c.rates;
    for (double *v : {&r.gmRead, &r.gmWrite, &r.l1ToL0A, &r.l1ToL0B, &r.l1ToTable, &r.l0cOut, &r.ub, &r.issue, &r.barrier, &r.cross, &r.gmLatency})
        *v = in.number<double>();
    for (int p = 0; p < Loads; p++) r.head[p] = in.number<double>();
    r.queueDepth = int(in.number<uint32_t>());
}

static int fail(const char *format, ...) {
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%s\n", formatted(format, args).c_str());
    va_end(args);
    return 3;
}

static int describe() {
    for (Kernel *k = kernels; k; k = k->next) {
        printf("%s\t", k->name);
        for (int i = 0; i < k->count; i++) printf(" %c%u", k->params[i].pointer ? 'p' : 's', k->params[i].bytes);
        printf("\n");
    }
    return 0;
}

static int run() {
    int out = dup(1);
    dup2(2, 1); // what a kernel prints by itself is no part of the answer
    Reader in(stdin);
    std::string name = in.text();
    LaunchConfig config;
    readConfig(in, config);
    Kernel *kernel = kernels;
    while (kernel && name != kernel->name) kernel = kernel->next;
    if (!kernel) return fail("no kernel %s", name.c_str());
    GlobalMemory memory;
    Launch launch(config, memory);
    std::vector<Region *> regions;
    for (uint32_t n = in.number<uint32_t>(); n > 0; n--) {
        std::string label = in.text();
        uint64_t bytes = in.number<uint64_t>();
        uint8_t readOnly = in.number<uint8_t>(), output = in.number<uint8_t>(), initialised = in.number<uint8_t>();
        Region &r = launch.gm.add(label, bytes, readOnly, output, initialised);
        if (initialised) in.raw(r.begin, bytes);
        regions.push_back(&r);
    }
    std::vector<uint8_t> args;
    uint32_t count = in.number<uint32_t>();
    if (int(count) != kernel->count) return fail("%s has %d parameters, %u arguments were given", name.c_str(), kernel->count, count);
    for (uint32_t i = 0; i < count; i++) {
        bool pointer = in.number<uint8_t>();
        std::string bytes;
        if (pointer) {
            uint32_t region = in.number<uint32_t>();
            uint64_t address = reinterpret_cast<uintptr_t>(regions.at(region)->begin) + in.number<uint64_t>();
            bytes.assign(reinterpret_cast<char *>(&address), 8);
        } else {
            bytes = in.text();
        }
        const Param &p = kernel->params[i];
        if (pointer != p.pointer) return fail("argument %u of %s is %s, the parameter is %s", i + 1, name.c_str(), pointer ? "an array" : "a value", p.pointer ? "an address" : "a value");
        if (bytes.size() != p.bytes) return fail("argument %u of %s has %zu bytes, the parameter has %u", i + 1, name.c_str(), bytes.size(), p.bytes);
        args.insert(args.end(), bytes.begin(), bytes.end());
        args.resize(slots(uint32_t(args.size())));
    }
    for (int sig : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL}) signal(sig, crashed);
    launch.run([&] { kernel->invoke(args.data()); });
    FILE *f = fdopen(out, "wb");
    std::string text = report({&launch});
    uint64_t size = text.size();
    fwrite(&size, 8, 1, f);
    fwrite(text.data(), 1, size, f);
    for (Region *r : regions)
        if (r->output && !r->readOnly) fwrite(r->begin, 1, r->end - r->begin, f);
    return fclose(f) == 0 ? 0 : 3;
}

// runMain runs a host program: what it prints is its own, the report goes to descriptor 3.
static int runMain() {
    if (!program) return fail("the source has no main");
    Reader in(stdin);
    readConfig(in, hostProgram().config);
    for (int sig : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL}) signal(sig, crashed);
    char name[] = "main";
    char *argv[] = {name, nullptr};
    int rc = program(1, argv);
    fflush(stdout);
    std::vector<const Launch *> launches;
    for (auto &l : hostProgram().launches) launches.push_back(l.get());
    FILE *f = fdopen(3, "wb");
    if (!f) return fail("no descriptor for the report");
    std::string text = report(launches);
    fwrite(text.data(), 1, text.size(), f);
    fclose(f);
    return rc == 0 ? 0 : 1;
}

} // namespace machine

int main(int argc, char **argv) {
    if (argc < 2 || !dlopen(argv[1], RTLD_NOW | RTLD_LOCAL)) {
        fprintf(stderr, "%s\n", argc < 2 ? "no kernel library" : dlerror());
        return 3;
    }
    std::string mode = argc > 2 ? argv[2] : "";
    return mode == "describe" ? machine::describe() : mode == "main" ? machine::runMain() : machine::run();
}
