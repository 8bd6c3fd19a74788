// The package for Node.js. Numbers and texts of errors are torch 2.13's, unless a comment names another origin.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { inspect } from "node:util";
import { Worker } from "node:worker_threads";
import mt, { TorchError, zeros } from "mindtorch";

const folder = mkdtempSync(path.join(tmpdir(), "mindtorch-"));
after(() => rmSync(folder, { recursive: true }));
const list = (tensor) => tensor.tolist();
const failure = (kind, message) => (error) => {
  assert.ok(error instanceof Error && error instanceof mt.TorchError, String(error));
  assert.equal(error.kind, kind);
  assert.match(error.message, message);
  return true;
};
const hasTorchFile = process.env.MINDTORCH_TORCH_CHECKPOINT ? {} : { skip: "no real torch: MINDTORCH_TORCH_CHECKPOINT is not set" };

// ---- making tensors ----

test("a tensor has the type of its elements", () => {
  assert.equal(mt.tensor([1, 2.5]).dtype, "float32");
  assert.equal(mt.tensor([1n, 2n]).dtype, "int64");
  assert.equal(mt.tensor([true, false]).dtype, "bool");
  assert.equal(mt.tensor(new Float64Array([1])).dtype, "float64");
  assert.equal(mt.tensor([new mt.Complex(1, 2)]).dtype, "complex64");
  assert.equal(mt.tensor([1, 2], { dtype: "int32" }).dtype, "int32");
  assert.deepEqual(mt.tensor([[1, 2, 3], [4, 5, 6]]).shape, [2, 3]);
  assert.deepEqual(mt.tensor(7).shape, []);
  assert.deepEqual(mt.tensor([]).shape, [0]);
});

test("arrays of different sizes are refused", () => {
  assert.throws(() => mt.tensor([[1, 2], [3]]), failure("ValueError", /different sizes/));
  assert.throws(() => mt.tensor([1, "a"]), failure("TypeError", /one type/));
  assert.throws(() => mt.tensor(new Float32Array(4), { sizes: [3] }), failure("ValueError", /require 3 elements, and there are 4/));
});

test("names are imported too", () => {
  assert.equal(zeros, mt.zeros);
  assert.throws(() => zeros([1]).select(3, 0), (error) => error instanceof TorchError);
});

test("JSON has the elements as nested arrays", () => {
  assert.equal(JSON.stringify({ x: mt.tensor([[1, 2.5]]), on: mt.tensor(true) }), '{"x":[[1,2.5]],"on":true}');
});

test("every typed array goes in and comes out", () => {
  const arrays = [
    new Float32Array([1.5, -2]), new Float64Array([1.5, -2]), new BigInt64Array([1n, -(2n ** 60n)]), new BigUint64Array([2n ** 63n]),
    new Int32Array([1, -2]), new Int16Array([1, -2]), new Int8Array([1, -2]), new Uint32Array([2 ** 31]), new Uint16Array([65535]),
    new Uint8Array([255]),
  ];
  for (const array of arrays) assert.deepEqual(mt.tensor(array).toTypedArray(), array);
});

test("elements of dtypes that JavaScript lacks come out as others", () => {
  assert.deepEqual(mt.fromRaw(new Uint16Array([0x3fc0, 0xc000]), [2], "bfloat16").toTypedArray(), new Float32Array([1.5, -2]));
  assert.deepEqual(mt.tensor([true, false]).toTypedArray(), new Uint8Array([1, 0]));
  assert.deepEqual(mt.tensor([new mt.Complex(1, 2)]).toTypedArray(), new Float32Array([1, 2]));
});

test("transposed elements come out in row-major order", () => {
  assert.deepEqual(mt.tensor([[1, 2], [3, 4]]).t().toTypedArray(), new Float32Array([1, 3, 2, 4]));
});

test("copyTo fills an array of the same type and length only", () => {
  const target = new Float32Array(2);
  assert.equal(mt.tensor([1, 2]).copyTo(target), target);
  assert.deepEqual(target, new Float32Array([1, 2]));
  assert.throws(() => mt.tensor([1, 2]).copyTo(new Float32Array(3)), failure("TypeError", /2 float32/));
  assert.throws(() => mt.tensor([1, 2]).copyTo(new Float64Array(2)), failure("TypeError", /2 float32/));
});

test("asTypedArray is the tensor's own memory", () => {
  const x = mt.zeros([3]);
  const first = x.asTypedArray();
  const second = x.asTypedArray();
  first[1] = 5;
  assert.deepEqual(list(x), [0, 5, 0]);
  x.dispose();
  assert.equal(second[1], 5);
  assert.throws(() => mt.ones([2, 2]).t().asTypedArray(), failure("RuntimeError", /contiguous/));
  const y = mt.zeros([1]);
  y.asTypedArray();
  assert.throws(() => y.resize_([100]), failure("RuntimeError", /not resizable/));
});

test("fromShared shares the memory of a SharedArrayBuffer only", () => {
  const array = new Float32Array(new SharedArrayBuffer(8));
  const x = mt.fromShared(array);
  array[1] = 3;
  x.add_(1);
  assert.deepEqual([...array], [1, 4]);
  assert.throws(() => mt.fromShared(new Float32Array(2)), failure("TypeError", /SharedArrayBuffer/));
});

test("item is a number, a BigInt, a boolean or a complex number", () => {
  assert.equal(mt.tensor(1.5).item(), 1.5);
  assert.equal(mt.tensor(2n ** 60n).item(), 2n ** 60n);
  assert.equal(mt.tensor(5n).item(), 5);
  assert.equal(mt.tensor(true).item(), true);
  assert.deepEqual(mt.tensor(new mt.Complex(1, -2)).item(), new mt.Complex(1, -2));
  assert.throws(() => mt.ones([2]).item(), failure("RuntimeError", /a Tensor with 2 elements cannot be converted to Scalar/));
});

// ---- operators ----

test("the arguments select the overload", () => {
  const x = mt.tensor([[1, 2], [3, 4]]);
  assert.equal(x.sum().item(), 10);
  assert.deepEqual(list(x.sum([1])), [3, 7]);
  assert.deepEqual(list(x.sum([1], true)), [[3], [7]]);
  assert.deepEqual(list(x.sum([1], { keepdim: true })), [[3], [7]]);
  assert.deepEqual(list(x.add(x, { alpha: 3 })), [[4, 8], [12, 16]]);
  assert.deepEqual(list(x.pow(2)), [[1, 4], [9, 16]]);
  const [values, indices] = x.max(1);
  assert.deepEqual([list(values), list(indices)], [[2, 4], [1, 1]]);
  assert.deepEqual(x.split(1).map(list), [[[1, 2]], [[3, 4]]]);
});

test("lists, none, names of dtypes and devices are arguments", () => {
  const x = mt.tensor([1, 2, 3]);
  assert.deepEqual(list(mt.cat([x, x])), [1, 2, 3, 1, 2, 3]);
  assert.deepEqual(list(x.clamp(null, 2)), [1, 2, 2]);
  assert.deepEqual(list(x.clamp(undefined, 2)), [1, 2, 2]);
  assert.equal(mt.zeros([2], { dtype: "float64", device: "cpu" }).dtype, "float64");
  assert.equal(mt.zeros([2], { device: "meta" }).device, "meta");
  assert.deepEqual(list(mt.einsum("i,i->i", [x, x])), [1, 4, 9]);
  assert.equal(mt.result_type(x, 2.5), "float32");
  assert.equal(mt.equal(x, x), true);
  assert.deepEqual(list(mt.tensor([5, 6, 7]).index([mt.tensor([2n, 0n])])), [7, 5]);
});

test("a random number is torch's for the seed", () => {
  mt.manualSeed(0);
  assert.ok(Math.abs(mt.rand([1]).item() - 0.4962566) < 1e-6); // torch.manual_seed(0); torch.rand(1)
  const own = mt.generator("cpu").seed(0);
  assert.ok(Math.abs(mt.rand([1], { generator: own }).item() - 0.4962566) < 1e-6);
});

test("out= writes into a tensor", () => {
  const out = mt.zeros([2]);
  mt.tensor([1, 2]).add(mt.tensor([3, 4]), { out });
  assert.deepEqual(list(out), [4, 6]);
});

test("call names an overload", () => {
  const x = mt.tensor([1, 2]);
  assert.deepEqual(list(mt.call("add", "Tensor", x, x, { alpha: 2 })), [3, 6]);
  assert.deepEqual(list(x.call("mul", "Scalar", 3)), [3, 6]);
  assert.throws(() => mt.call("nonsense", ""), failure("RuntimeError", /nonsense/));
});

test("indices read and write parts", () => {
  const x = mt.arange(24).reshape([4, 6]);
  assert.equal(x.get(1, -1).item(), 11);
  assert.deepEqual(list(x.get([1, 3], [0, null, 3])), [[6, 9], [12, 15]]);
  assert.deepEqual(x.get(null, 0).shape, [1, 6]);
  assert.deepEqual(list(x.get(mt.tensor([3n, 0n]), 0)), [18, 0]);
  x.set([0, [0, 2]], 9);
  assert.deepEqual(list(x.get(0)), [9, 9, 2, 3, 4, 5]);
  x.set([x.gt(20)], 0);
  assert.deepEqual(list(x.get(3)), [18, 19, 20, 0, 0, 0]);
  assert.deepEqual([...mt.tensor([[1, 2], [3, 4]])].map(list), [[1, 2], [3, 4]]);
});

test("a tensor has a text", () => {
  assert.equal(String(mt.tensor([[1, 2.5]])), "Tensor float32 [1, 2]: [[1, 2.5]]");
  assert.equal(inspect(mt.tensor(3n)), "Tensor int64 []: 3");
  assert.match(String(mt.zeros([2000])), /\[0, 0, 0, \.\.\., 0, 0, 0\]/);
  assert.equal(String(mt.zeros([2], { device: "meta" })), "Tensor float32 [2]");
  const closed = mt.zeros([1]);
  closed.dispose();
  assert.equal(String(closed), "Tensor (disposed)");
});

// ---- errors ----

test("an error has torch's text", () => {
  const x = mt.tensor([1, 2, 3]);
  assert.throws(
    () => x.add(mt.ones([2])),
    failure("RuntimeError", /^The size of tensor a \(3\) must match the size of tensor b \(2\) at non-singleton dimension 0$/),
  );
  assert.throws(() => x.unsqueeze(7), failure("IndexError", /^Dimension out of range \(expected to be in range of \[-2, 1\], but got 7\)$/));
});

test("values that are no arguments are refused", () => {
  const x = mt.ones([2]);
  assert.throws(() => x.add(() => 1), failure("TypeError", /function/));
  assert.throws(() => x.add(Symbol("a")), failure("TypeError", /symbol/));
  assert.throws(() => x.add(new Float32Array(2)), failure("TypeError", /typed array/));
  assert.throws(() => mt.cat([x, 1]), failure("TypeError", /either numbers or tensors|a Tensor is expected/));
  assert.throws(() => x.sum({ nonsense: 1 }), failure("TypeError", /nonsense/));
  assert.throws(() => new mt.Tensor(), failure("TypeError", /made by functions/));
  assert.throws(() => x.add(2n ** 70n), failure("OverflowError", /64 bits/));
});

// ---- gradients ----

test("backward accumulates gradients", () => {
  const x = mt.tensor([1, 2, 3], { requiresGrad: true });
  assert.equal(x.grad, null);
  x.mul(x).sum().backward();
  assert.deepEqual(list(x.grad), [2, 4, 6]);
  x.mul(2).backward(mt.tensor([1, 0, 1]));
  assert.deepEqual(list(x.grad), [4, 4, 8]);
  x.grad = null;
  assert.equal(x.grad, null);
});

test("grad returns gradients and keeps .grad", () => {
  const x = mt.tensor([2], { requiresGrad: true });
  const [first] = mt.grad([x.pow(3)], [x], { createGraph: true });
  assert.deepEqual(list(first), [12]);
  assert.deepEqual(list(mt.grad([first], [x])[0]), [12]);
  assert.equal(x.grad, null);
  assert.deepEqual(mt.grad([x.mul(2)], [mt.tensor([1], { requiresGrad: true })], { allowUnused: true }), [null]);
});

test("noGrad ends with its function, also by an error", () => {
  const x = mt.tensor([1], { requiresGrad: true });
  assert.equal(mt.noGrad(() => x.mul(2)).requiresGrad, false);
  assert.equal(mt.noGrad(() => mt.enableGrad(() => x.mul(2))).requiresGrad, true);
  assert.throws(() => mt.noGrad(() => { throw new RangeError("mine"); }), RangeError);
  assert.equal(x.mul(2).requiresGrad, true);
  assert.throws(() => mt.noGrad(async () => x), failure("TypeError", /must not be a promise/));
});

test("integers have no gradients", () => {
  assert.throws(
    () => mt.tensor([1n], { requiresGrad: true }),
    failure("RuntimeError", /^Only Tensors of floating point and complex dtype can require gradients$/),
  );
});

test("a hook sees and replaces a gradient", () => {
  const x = mt.tensor([1, 2], { requiresGrad: true });
  const seen = [];
  const id = x.onGradient((gradient) => {
    seen.push(list(gradient));
    return gradient.mul(10);
  });
  x.sum().backward();
  assert.deepEqual([seen, list(x.grad)], [[[1, 1]], [10, 10]]);
  x.removeHook(id);
  x.sum().backward();
  assert.equal(seen.length, 1);
});

test("the exception of a hook is that of backward", () => {
  const x = mt.tensor([1], { requiresGrad: true });
  const mine = new RangeError("mine");
  x.onGradient(() => { throw mine; });
  assert.throws(() => x.sum().backward(), (error) => error === mine);
});

// ---- promises ----

test("an operator runs on the pool", async () => {
  const x = mt.tensor([[1, 2], [3, 4]]);
  assert.deepEqual(list(await x.mmAsync(x)), [[7, 10], [15, 22]]);
  assert.deepEqual(list(await mt.catAsync([x, x], { dim: 1 })), [[1, 2, 1, 2], [3, 4, 3, 4]]);
  assert.deepEqual(list(await mt.callAsync("add", "Tensor", x, x)), [[2, 4], [6, 8]]);
  await assert.rejects(x.mmAsync(mt.ones([3, 3])), failure("RuntimeError", /shapes cannot be multiplied/));
});

test("the event loop goes on during a long call", async () => {
  const x = mt.randn([1500, 1500]);
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  await Promise.all([x.mmAsync(x), x.mmAsync(x)]);
  clearInterval(timer);
  assert.ok(turns >= 2, `${turns} turns`);
});

test("a call on the pool has the modes of its caller", async () => {
  const x = mt.tensor([1], { requiresGrad: true });
  let pending;
  mt.noGrad(() => { pending = x.mulAsync(2).then((y) => y.requiresGrad); });
  assert.equal(await pending, false);
  assert.equal((await x.mulAsync(2)).requiresGrad, true);
});

test("backward on the pool calls hooks on the main thread", async () => {
  const x = mt.tensor([1, 2], { requiresGrad: true });
  x.onGradient((gradient) => gradient.mul(3));
  await x.sum().backwardAsync();
  assert.deepEqual(list(x.grad), [3, 3]);
  const y = mt.tensor([1], { requiresGrad: true });
  y.onGradient(() => { throw new RangeError("mine"); });
  await assert.rejects(y.sum().backwardAsync(), RangeError);
});

test("arguments live as long as their call", async () => {
  const x = mt.ones([512, 512]);
  const pending = x.mmAsync(x);
  x.dispose();
  assert.equal((await pending).get(0, 0).item(), 512);
});

test("workers train side by side", async () => {
  const script = `
    const { parentPort } = require("node:worker_threads");
    const mt = require(${JSON.stringify(process.env.MINDTORCH_PACKAGE ?? "mindtorch")});
    const x = mt.tensor([2], { requiresGrad: true });
    for (let i = 0; i < 200; i++) {
      x.grad = null;
      x.pow(2).sum().backward();
      mt.noGrad(() => x.sub_(x.grad, { alpha: 0.1 }));
    }
    parentPort.postMessage(x.item());`;
  const runs = Array.from({ length: 4 }, () => new Promise((resolve, reject) => {
    const worker = new Worker(script, { eval: true });
    worker.once("message", resolve);
    worker.once("error", reject);
  }));
  for (const end of await Promise.all(runs)) assert.ok(Math.abs(end) < 1e-6, `${end}`); // 2 * 0.8 ** 200
});

// ---- memory ----

const peakOf = (script) =>
  Number(execFileSync(process.execPath, ["-e", `
    const mt = require(${JSON.stringify(process.env.MINDTORCH_PACKAGE ?? "mindtorch")});
    (async () => { ${script} })().then(() =>
      console.log(/VmHWM:\\s+(\\d+)/.exec(require("node:fs").readFileSync("/proc/self/status", "utf8"))[1]));`], { encoding: "utf8" })) / 1024;

test("200 dropped tensors of 40 MB stay below 600 MB in a loop without a turn of the event loop", () => {
  assert.ok(peakOf("for (let i = 0; i < 200; i++) mt.ones([10_000_000]).narrow(0, 0, 10);") < 600);
});

test("50 dropped graphs of 40 MB stay below 600 MB", () => {
  assert.ok(peakOf("const x = mt.ones([10_000_000]); x.requiresGrad = true; for (let i = 0; i < 50; i++) x.exp().sum();") < 600);
});

test("dropped tensors of an asynchronous loop stay below 600 MB", () => {
  assert.ok(peakOf("for (let i = 0; i < 100; i++) await mt.onesAsync([10_000_000]);") < 600);
});

test("many small dropped tensors keep little memory", () => {
  assert.ok(peakOf("const x = mt.ones([1]); for (let i = 0; i < 300_000; i++) x.add(1);") < 600);
});

test("dispose frees at once, and a later use throws", () => {
  const before = mt.memory().bytes;
  const x = mt.ones([1_000_000]);
  assert.ok(mt.memory().bytes - before >= 4_000_000);
  x.dispose();
  x.dispose();
  assert.ok(mt.memory().bytes - before < 1_000_000);
  assert.equal(x.isDisposed, true);
  assert.throws(() => x.add(1), failure("ValueError", /this Tensor is disposed of/));
  const y = mt.ones([1]);
  y[Symbol.dispose ?? Symbol.for("nodejs.dispose")]();
  assert.equal(y.isDisposed, true);
});

test("a scope disposes of all but its value", () => {
  let inner;
  const kept = mt.scope(() => {
    inner = mt.ones([2]);
    return { sum: inner.add(1), list: [inner.mul(3)] };
  });
  assert.equal(inner.isDisposed, true);
  assert.deepEqual([list(kept.sum), list(kept.list[0])], [[2, 2], [3, 3]]);
  assert.throws(() => mt.scope(() => { inner = mt.ones([1]); throw new RangeError("mine"); }), RangeError);
  assert.equal(inner.isDisposed, true);
  assert.throws(() => mt.scope(async () => mt.ones([1])), failure("TypeError", /must not be a promise/));
  const outer = mt.scope(() => mt.scope(() => mt.ones([1])).add(1));
  assert.deepEqual(list(outer), [2]);
});

// ---- files ----

test("saved tensors are loaded", () => {
  const file = path.join(folder, "a.safetensors");
  const tensors = { weight: mt.arange(6).reshape([2, 3]), "__proto__x": mt.tensor([1n]) };
  mt.save(file, tensors, { metadata: { made: "here" } });
  const loaded = mt.load(file);
  assert.deepEqual(Object.keys(loaded).sort(), ["__proto__x", "weight"]);
  assert.deepEqual(list(loaded.weight), [[0, 1, 2], [3, 4, 5]]);
  const opened = mt.open(file);
  assert.equal(opened.format, "safetensors");
  assert.equal(opened.metadata.made, "here");
  assert.deepEqual(opened.entries.find(({ name }) => name === "weight").shape, [2, 3]);
  assert.throws(() => opened.read("absent"), failure("KeyError", /no tensor "absent"/));
  opened.dispose();
  assert.throws(() => opened.names, failure("ValueError", /this Checkpoint is disposed of/));
});

test("torch's format is written, and read", () => {
  const file = path.join(folder, "a.pt");
  mt.save(file, new Map([["x", mt.tensor([1, 2])]]), { format: "torch" });
  assert.equal(readFileSync(file).subarray(0, 2).toString(), "PK"); // a zip archive
  assert.deepEqual(list(mt.load(file, { copy: true }).x), [1, 2]);
  assert.throws(() => mt.save(file, {}, { format: "npz" }), failure("ValueError", /safetensors or torch/));
});

test("a file of no known format is refused", () => {
  const file = path.join(folder, "text");
  writeFileSync(file, "no checkpoint");
  assert.throws(() => mt.load(file), failure("RuntimeError", /./));
  assert.throws(() => mt.load(path.join(folder, "absent")), failure("RuntimeError", /No such file/));
});

// The file is what ../torch_checkpoint.py writes with real torch.
test("a checkpoint of real torch is read", hasTorchFile, () => {
  const checkpoint = mt.open(process.env.MINDTORCH_TORCH_CHECKPOINT);
  assert.equal(checkpoint.format, "torch");
  assert.deepEqual(checkpoint.names, ["model.weight", "model.bias", "half"]);
  assert.deepEqual(list(checkpoint.read("model.weight")), [[0, 1, 2], [3, 4, 5]]);
  assert.deepEqual(list(checkpoint.read("half")), [1.5, -2]);
  const object = checkpoint.object();
  assert.equal(object.epoch, 7);
  assert.equal(object.rate, 0.5);
  assert.equal(object.name, "network");
  assert.equal(object.none, null);
  assert.equal(object.big, -(2n ** 100n));
  assert.deepEqual(object.list, [true, "float64"]);
  assert.deepEqual(list(object.model.bias), [1, -1]);
});

// The text is what torch.ops has where a schema wants a name.
test("arguments by name are refused by place, and unknown dtypes with the dtype", () => {
  assert.throws(() => mt.zeros(2, 3), failure("TypeError", /zeros\(\) takes 1 positional argument\(s\) but 2 was\/were given/));
  assert.throws(() => mt.tensor([1]).to("double"), failure("TypeError", /there is no dtype double/));
});
