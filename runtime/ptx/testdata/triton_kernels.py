import triton, triton.language as tl, sys
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
@triton.jit
def matmul(a,b,c,M,N,K,sam,sbk,scm,BM:tl.constexpr,BN:tl.constexpr,BK:tl.constexpr):
    pm=tl.program_id(0); pn=tl.program_id(1)
    rm=pm*BM+tl.arange(0,BM); rn=pn*BN+tl.arange(0,BN); rk=tl.arange(0,BK)
    pa=a+rm[:,None]*sam+rk[None,:]; pb=b+rk[:,None]*sbk+rn[None,:]
    acc=tl.zeros((BM,BN),dtype=tl.float32)
    for k in range(0,K,BK):
        x=tl.load(pa,mask=(rm[:,None]<M)&(rk[None,:]+k<K),other=0.0)
        y=tl.load(pb,mask=(rk[:,None]+k<K)&(rn[None,:]<N),other=0.0)
        acc=tl.dot(x,y,acc)
        pa+=BK; pb+=BK*sbk
    tl.store(c+rm[:,None]*scm+rn[None,:],acc.to(tl.float16),mask=(rm[:,None]<M)&(rn[None,:]<N))
@triton.jit
def softmax(x,y,n,B:tl.constexpr):
    r=tl.program_id(0); o=tl.arange(0,B)
    v=tl.load(x+r*n+o,mask=o<n,other=-float('inf'))
    v=tl.exp(v-tl.max(v,0)); 
    tl.store(y+r*n+o,v/tl.sum(v,0),mask=o<n)
@triton.jit
def attention(q,k,v,o,n,scale,BM:tl.constexpr,BN:tl.constexpr,D:tl.constexpr,CAUSAL:tl.constexpr):
    p=tl.program_id(0); rm=p*BM+tl.arange(0,BM); rd=tl.arange(0,D)
    qq=tl.load(q+rm[:,None]*D+rd[None,:])
    m=tl.full((BM,),-float('inf'),tl.float32); l=tl.zeros((BM,),tl.float32); acc=tl.zeros((BM,D),tl.float32)
    hi=(p+1)*BM if CAUSAL else n
    for j in range(0,hi,BN):
        rn=j+tl.arange(0,BN)
        kk=tl.load(k+rn[None,:]*D+rd[:,None])
        s=tl.dot(qq,kk)*scale
        if CAUSAL: s=tl.where(rm[:,None]>=rn[None,:],s,-float('inf'))
        mn=tl.maximum(m,tl.max(s,1)); e=tl.exp2(s-mn[:,None]); al=tl.exp2(m-mn)
        l=l*al+tl.sum(e,1); vv=tl.load(v+rn[:,None]*D+rd[None,:])
        acc=acc*al[:,None]; acc=tl.dot(e.to(tl.float16),vv,acc); m=mn
    acc=acc/l[:,None]
    tl.store(o+rm[:,None]*D+rd[None,:],acc.to(tl.float16))
@triton.jit
def layernorm(x,w,b,y,n,eps,B:tl.constexpr):
    r=tl.program_id(0); o=tl.arange(0,B)
    v=tl.load(x+r*n+o,mask=o<n,other=0.0)
    mu=tl.sum(v,0)/n; d=tl.where(o<n,v-mu,0.0); var=tl.sum(d*d,0)/n
    tl.store(y+r*n+o,d/tl.sqrt(var+eps)*tl.load(w+o,mask=o<n)+tl.load(b+o,mask=o<n),mask=o<n)
def go(fn,sig,const,arch,name,nw=4,ns=3):
    src=ASTSource(fn=fn,signature=sig,constexprs=const,attrs={(i,):[['tt.divisibility',16]] for i,(k,v) in enumerate(sig.items()) if v in('*fp16','*fp32','i32','*i8')})
    k=triton.compile(src,target=GPUTarget("cuda",arch,32),options={"num_warps":nw,"num_stages":ns})
    open(name,'w').write(k.asm['ptx']); print(name,k.metadata.shared,k.metadata.num_warps)
A=int(sys.argv[1])
P="*fp16"
mm={"a":P,"b":P,"c":P,"M":"i32","N":"i32","K":"i32","sam":"i32","sbk":"i32","scm":"i32","BM":"constexpr","BN":"constexpr","BK":"constexpr"}
go(matmul,mm,{"BM":128,"BN":128,"BK":32},A,f"tri_matmul_{A}.ptx")
q8=dict(mm,a="*i8",b="*i8")
go(softmax,{"x":"*fp32","y":"*fp32","n":"i32","B":"constexpr"},{"B":1024},A,f"tri_softmax_{A}.ptx")
go(layernorm,{"x":"*fp32","w":"*fp32","b":"*fp32","y":"*fp32","n":"i32","eps":"fp32","B":"constexpr"},{"B":1024},A,f"tri_layernorm_{A}.ptx")
for c in (False,True):
  go(attention,{"q":P,"k":P,"v":P,"o":P,"n":"i32","scale":"fp32","BM":"constexpr","BN":"constexpr","D":"constexpr","CAUSAL":"constexpr"},{"BM":64,"BN":64,"D":64,"CAUSAL":c},A,f"tri_attention{'_causal' if c else ''}_{A}.ptx")
