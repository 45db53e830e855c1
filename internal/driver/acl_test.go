package driver

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"tilec/runtime/ascend"
)

// aclProgram has a kernel for vector cores, with a condition on its arguments, and one for both units, which needs a workspace.
const aclProgram = `
kernel scale(X: f32[N], Y: out f32[N], a: f32) {
    require N % 4 == 0, "N must be a multiple of 4"
    grid (b: ceildiv(N, 64)) { Y[b*64 + i] = a * X[b*64 + i] over i: 64 }
}

kernel magnitude(A: f32[M, K], B: f32[K, N], C: out f32[M, N]) {
    grid (bx: ceildiv(N, 32), by: ceildiv(M, 32)) {
        tile a: f32[32, 32]
        tile b: f32[32, 32]
        tile acc: f32[32, 32] = 0
        for k in 0 .. ceildiv(K, 32) {
            copy A[by*32, k*32] -> a
            copy B[k*32, bx*32] -> b
            gemm a, b -> acc
        }
        C[by*32 + i, bx*32 + j] = abs(acc[i, j])
    }
}
`

// aclMains call the launchers as programs of somebody else's would: they declare what the heads of the files say.
var aclMains = map[string]string{
	"scale": `
extern "C" aclError launch_scale(const float* X, const long long X_shape[1], float* Y, const long long Y_shape[1], float a, aclrtStream stream, const char** why);

static int run(aclrtStream stream) {
    int wrong = 0;
    const char* why = nullptr;
    std::vector<float> x(100), y(100);
    for (int i = 0; i < 100; i++) x[i] = float(i - 50);
    float *dx = upload(x), *dy = upload(y);
    const long long n[] = {100}, odd[] = {99}, other[] = {96}, none[] = {0};
    if (launch_scale(dx, n, dy, n, 1.5f, stream, &why) != ACL_SUCCESS || why) wrong++;
    aclrtSynchronizeStream(stream);
    download(y, dy);
    for (int i = 0; i < 100; i++) wrong += y[i] != 1.5f * x[i];
    if (launch_scale(nullptr, none, nullptr, none, 1.5f, stream, nullptr) != ACL_SUCCESS) wrong++;
    if (launch_scale(dx, odd, dy, odd, 1.5f, stream, &why) != ACL_ERROR_INVALID_PARAM) wrong++;
    std::printf("%s\n", why);
    if (launch_scale(dx, n, dy, other, 1.5f, stream, &why) == ACL_SUCCESS) wrong++;
    std::printf("%s\n", why);
    if (launch_scale(nullptr, n, dy, n, 1.5f, stream, &why) == ACL_SUCCESS) wrong++;
    std::printf("%s\n", why);
    aclrtFree(dx), aclrtFree(dy);
    return wrong;
}
`,
	"magnitude": `
extern "C" aclError launch_magnitude(const float* A, const long long A_shape[2], const float* B, const long long B_shape[2], float* C, const long long C_shape[2],
    aclrtStream stream, const char** why);

static int run(aclrtStream stream) {
    int wrong = 0;
    const int M = 40, N = 33, K = 50;
    std::vector<float> a(M * K), b(K * N), c(M * N);
    for (int i = 0; i < M * K; i++) a[i] = float(i % 7 - 3);
    for (int i = 0; i < K * N; i++) b[i] = float(i % 5 - 2);
    float *da = upload(a), *db = upload(b), *dc = upload(c);
    const long long sa[] = {M, K}, sb[] = {K, N}, sc[] = {M, N};
    if (launch_magnitude(da, sa, db, sb, dc, sc, stream, nullptr) != ACL_SUCCESS) wrong++;
    download(c, dc);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0;
            for (int k = 0; k < K; k++) sum += a[i * K + k] * b[k * N + j];
            wrong += c[i * N + j] != std::fabs(sum);
        }
    aclrtFree(da), aclrtFree(db), aclrtFree(dc);
    return wrong;
}
`,
}

// aclCommon is what every such program has.
const aclCommon = `
#include <cmath>
#include <cstdio>
#include <vector>

static float* upload(const std::vector<float>& host) {
    void* p = nullptr;
    aclrtMalloc(&p, host.size() * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemcpy(p, host.size() * sizeof(float), host.data(), host.size() * sizeof(float), ACL_MEMCPY_HOST_TO_DEVICE);
    return static_cast<float*>(p);
}

static void download(std::vector<float>& host, const float* p) {
    aclrtMemcpy(host.data(), host.size() * sizeof(float), p, host.size() * sizeof(float), ACL_MEMCPY_DEVICE_TO_HOST);
}

static int run(aclrtStream stream);

int main() {
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclrtStream stream = nullptr;
    aclrtCreateStream(&stream);
    const int wrong = run(stream);
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    aclFinalize();
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
`

// TestACL compiles emitted kernels with their launchers and a main for the host machine's ACL, and runs that.
func TestACL(t *testing.T) {
	t.Parallel()
	s := New(context.Background(), Options{Read: func(string) (string, error) { return aclProgram, nil }})
	p := s.Load("acl.tile")
	wantClean(t, p.Reporter)
	machines, err := Machines("ascend", []string{"910b"})
	if err != nil {
		t.Fatal(err)
	}
	tools, err := ascend.Find(ascend.Search{})
	if err != nil {
		t.Fatal(err)
	}
	printed := map[string]string{
		"scale":     "scale: requirement not met: N must be a multiple of 4\nscale: Y: dimension 0 is 96, but N = 100\nscale: X: a null pointer\n0 wrong\n",
		"magnitude": "0 wrong\n",
	}
	for name, want := range printed {
		t.Run(name, func(t *testing.T) {
			files, _, err := s.Build(t.Context(), BuildRequest{Program: p, Kernels: p.Pick(name), Machines: machines, Kinds: []Kind{Text, Host}})
			if err != nil {
				t.Fatal(err)
			}
			kernel, host := files[0], string(files[1].Data)
			include := "#include \"" + kernel.Name + "\"\n"
			if !strings.Contains(host, include) {
				t.Fatalf("%s does not include %s", files[1].Name, kernel.Name)
			}
			// One file, as the device's compiler sees it.
			text := strings.Replace(host, include, string(kernel.Data), 1) + aclCommon + aclMains[name]
			program, err := tools.Compile(t.Context(), ascend.Source{Name: "acl.cpp", Text: text})
			if err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			report, err := program.RunMain(t.Context(), ascend.Config{}, t.TempDir(), &out)
			if err != nil {
				t.Errorf("%v\n%s", err, out.String())
			}
			if out.String() != want {
				t.Errorf("got:\n%s\nwant:\n%s", out.String(), want)
			}
			if report != nil {
				for i := range report.Findings {
					t.Error(report.Findings[i].String())
				}
			}
		})
	}
}
