// An operator, a gradient and an error through the package for Node.js.
import mt from "mindtorch";

const show = (name, tensor) => console.log(name, tensor.tolist().join(" "));

const x = mt.tensor([1, 2, 3]);
const y = mt.tensor([4, 5, 6]);
show("sum", x.add(y));

x.requiresGrad = true;
x.mul(x).sum().backward();
show("gradient", x.grad);

try {
  x.add(mt.ones([2]));
} catch (error) {
  console.log(`${error.kind}: ${error.message}`);
}
