// What calls from JavaScript cost: prints `name seconds`, as calls.c does.
import mt from "mindtorch";

const count = 1_000_000;
const a = mt.tensor([1]);
const b = mt.tensor([1]);
const square = mt.ones([1024, 1024]);
const elements = new Float64Array(count);
const numbers = mt.tensor(elements);

function measure(name, repeats, rounds, call) {
  let best = Infinity;
  call();
  for (let round = 0; round < rounds; round++) {
    const begun = process.hrtime.bigint();
    for (let i = 0; i < repeats; i++) call();
    best = Math.min(best, Number(process.hrtime.bigint() - begun) / 1e9 / repeats);
  }
  console.log(`${name} ${best.toFixed(9)}`);
}

measure("add", 500, 400, () => a.add(b));
measure("add, disposed", 500, 400, () => a.add(b).dispose());
measure("mm", 1, 10, () => square.mm(square).dispose());
measure("in", 1, 20, () => mt.tensor(elements).dispose());
measure("out", 1, 20, () => numbers.toTypedArray());
measure("out, to an array", 1, 20, () => numbers.copyTo(elements));
