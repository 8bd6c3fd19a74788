// Calls that the declarations accept, and, below each @ts-expect-error, calls that they refuse.
import mt, { type Tensor } from "mindtorch";

const x: Tensor = mt.tensor([[1, 2], [3, 4]], { dtype: "float64" });
const sum: Tensor = x.add(x, { alpha: 2 }).sum([1], { keepdim: true });
const [values, indices]: [Tensor, Tensor] = x.max(1);
const parts: Tensor[] = x.split(1);
const product: Promise<Tensor> = x.mmAsync(x);
const joined: Tensor = mt.cat([sum, values, indices, ...parts], 0);
const loss: Tensor = mt.scope(() => joined.cross_entropy_loss(indices, { label_smoothing: 0.1 }));
const half: Tensor = mt.var(x, { correction: 0 });
x.onGradient((gradient) => gradient.mul(2));
loss.backward(null, { retainGraph: true });
// @ts-expect-error: `sum` has no argument of this name
x.sum({ nonsense: true });
// @ts-expect-error: a dtype is one of torch's
mt.zeros([2], { dtype: "float33" });
// @ts-expect-error: a tensor's shape is derived
x.shape = [4];
void [product, half];
