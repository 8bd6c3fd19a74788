// Trains a network of two layers on three spirals, saves and loads its weights, and handles an error.
import os from "node:os";
import path from "node:path";
import { rmSync } from "node:fs";
import mt from "mindtorch";

const [ARMS, POINTS, HIDDEN, STEPS] = [3, 100, 64, 400];

function makeSpirals() {
  const xy = new Float32Array(2 * ARMS * POINTS);
  const labels = new BigInt64Array(ARMS * POINTS);
  for (let arm = 0; arm < ARMS; arm++) {
    for (let i = 0; i < POINTS; i++) {
      const radius = (i + 1) / POINTS;
      const angle = (arm * 2 * Math.PI) / ARMS + 4 * radius + 0.1 * Math.sin(37 * i);
      const at = arm * POINTS + i;
      xy.set([radius * Math.cos(angle), radius * Math.sin(angle)], 2 * at);
      labels[at] = BigInt(arm);
    }
  }
  return [mt.tensor(xy, { sizes: [ARMS * POINTS, 2] }), mt.tensor(labels)];
}

const forward = (x, net) => x.linear(net["0.weight"], net["0.bias"]).tanh().linear(net["2.weight"], net["2.bias"]);

// One step of gradient descent: the loss and the accuracy before it. The scope disposes of every other tensor.
const descend = (net, x, labels, rate) =>
  mt.scope(() => {
    const logits = forward(x, net);
    const loss = logits.cross_entropy_loss(labels);
    loss.backward();
    mt.noGrad(() => {
      for (const weight of Object.values(net)) {
        weight.add_(weight.grad, { alpha: -rate });
        weight.grad = null;
      }
    });
    return [loss.item(), logits.argmax(1).eq(labels).sum().item() / labels.numel];
  });

console.log(`mindtorch ${mt.version}, ${mt.getNumThreads()} threads`);
const [x, labels] = makeSpirals();
mt.manualSeed(7);
const net = {
  "0.weight": mt.randn([HIDDEN, 2]),
  "0.bias": mt.zeros([HIDDEN]),
  "2.weight": mt.randn([ARMS, HIDDEN]).mul(0.125),
  "2.bias": mt.zeros([ARMS]),
};
for (const weight of Object.values(net)) weight.requiresGrad = true;
for (let step = 1; step <= STEPS; step++) {
  const [loss, accuracy] = descend(net, x, labels, 1);
  if (step === 1 || step % 100 === 0) console.log(`step ${step}: loss ${loss.toFixed(6)}, accuracy ${accuracy.toFixed(4)}`);
}

const file = path.join(os.tmpdir(), `spiral-${process.pid}.safetensors`);
mt.save(file, net);
const loaded = mt.load(file);
const logits = await x.linearAsync(loaded["0.weight"], loaded["0.bias"]);
console.log(`loaded ${Object.keys(loaded).length} tensors, hidden ${logits}`.slice(0, 60));
rmSync(file);

try {
  x.add(labels);
} catch (error) {
  console.log(`${error.kind}: ${error.message}`);
}
