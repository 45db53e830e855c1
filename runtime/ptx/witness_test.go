package ptx

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWitness: what is reported does not depend on which block happens to come first.
func TestWitness(t *testing.T) {
	k := assemble(t, `
ld.param.u64 %rd1, [p];
mov.u32 %r1, %ctaid.x;
mov.u32 %r2, %tid.x;
setp.lt.u32 %p1, %r1, 7;
@%p1 bra end;
mul.wide.u32 %rd2, %r2, 4;
add.u64 %rd3, %rd1, %rd2;
ld.global.u32 %r3, [%rd3+128];
st.global.u32 [%rd3+256], %r3;
end:
`)
	var want []string
	for workers := 1; workers <= 8; workers++ {
		for seed := range uint64(4) {
			rep, err := k.Launch(context.Background(), Config{Grid: [3]int{64}, Block: [3]int{32}, Checks: CheckAll &^ CheckGlobal, Workers: workers, Seed: seed}, &Buffer{Data: make([]byte, 128)})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range rep.Findings {
				got = append(got, f.String())
			}
			if want == nil {
				want = got
				if len(got) != 2 || rep.Findings[0].Block != [3]int{7} {
					t.Fatal(got)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatal(fmt.Sprintf("%d workers, seed %d (-want +got):\n", workers, seed), diff)
			}
		}
	}
}
