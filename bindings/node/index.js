// The package: what index.d.ts declares, over the addon. Every operator of the library is a function and a method, by torch's name.
"use strict";

const addon = require("./mindtorch.node");
const util = require("node:util");

// An error of the library: torch's text, and Python's name of its type (`kind`).
class TorchError extends Error {
  constructor(kind, message) {
    super(message);
    this.kind = kind;
  }
  get name() {
    return this.kind;
  }
}

class Complex {
  constructor(real, imag) {
    this.real = real;
    this.imag = imag;
  }
}

// A dict of a file: an object if all its keys are strings, else a map. It is made first, since it may contain itself, and filled later.
function makeDict(pairs, made) {
  if (made === undefined) return Object.create(null);
  for (let i = 0; i < pairs.length; i += 2) {
    if (typeof pairs[i] !== "string") return new Map(pairs.flatMap((key, at) => (at % 2 ? [] : [[key, pairs[at + 1]]])));
    made[pairs[i]] = pairs[i + 1];
  }
  return made;
}

// V8 does not see how large a tensor is, and collects at once only if it is asked to.
function findCollector() {
  if (typeof globalThis.gc === "function") return globalThis.gc;
  try {
    require("node:v8").setFlagsFromString("--expose-gc");
    return require("node:vm").runInNewContext("gc");
  } catch {
    return undefined; // V8's own collections free tensors
  }
}

const collect = findCollector();
addon.start(TorchError, Complex, makeDict, collect ? () => collect() : undefined);

const { Tensor, Generator, Checkpoint } = addon;
const disposeSymbol = Symbol.dispose ?? Symbol.for("nodejs.dispose");
const modes = { grad: 0, inference: 1 };
const flags = { requiresGrad: 1, isLeaf: 2, isContiguous: 128 };

// ---- making tensors ----

// Nested arrays of one kind of elements, as one list.
function flatten(values) {
  const sizes = [];
  for (let level = values; Array.isArray(level); level = level[0]) sizes.push(level.length);
  const list = Array.isArray(values) ? values.flat(Infinity) : [values];
  const count = sizes.reduce((a, b) => a * b, 1);
  if (list.length !== count || !hasSizes(values, sizes, 0)) throw new TorchError("ValueError", "the arrays have different sizes");
  return { list, sizes };
}

function hasSizes(values, sizes, depth) {
  if (depth === sizes.length) return !Array.isArray(values);
  return Array.isArray(values) && values.length === sizes[depth] && values.every((item) => hasSizes(item, sizes, depth + 1));
}

function fromList(list, sizes) {
  const kinds = new Set(list.map((item) => typeof item));
  if (list.some((item) => item instanceof Complex)) {
    const parts = list.flatMap((item) => (item instanceof Complex ? [item.real, item.imag] : [Number(item), 0]));
    return addon.fromArray(Float64Array.from(parts), sizes, "complex128");
  }
  if (kinds.size > 1 && !(kinds.size === 2 && kinds.has("number") && kinds.has("bigint"))) {
    throw new TorchError("TypeError", "a tensor has elements of one type: numbers, BigInts or booleans");
  }
  if (kinds.has("boolean")) return addon.fromArray(Uint8Array.from(list, Number), sizes, "bool");
  if (kinds.has("bigint")) return addon.fromArray(BigInt64Array.from(list, BigInt), sizes);
  if (kinds.size > 0 && !kinds.has("number")) throw new TorchError("TypeError", `a tensor has no ${[...kinds][0]}s`);
  return addon.fromArray(Float64Array.from(list), sizes);
}

// A tensor of a number, nested arrays, or a typed array. Numbers become float32, BigInts int64; a typed array keeps its type.
function tensor(values, { dtype, sizes, requiresGrad = false } = {}) {
  let made;
  if (ArrayBuffer.isView(values)) {
    made = addon.fromArray(values, sizes);
  } else {
    const flat = flatten(values);
    made = fromList(flat.list, sizes ?? flat.sizes);
    const natural = { float64: "float32", complex128: "complex64" }[addon.dtype(made)];
    dtype ??= natural;
  }
  if (dtype !== undefined && addon.dtype(made) !== dtype) made = made.to({ dtype });
  if (requiresGrad) addon.setRequiresGrad(made, true);
  return made;
}

// A tensor of raw elements: fromRaw(new Uint16Array(bits), [2, 2], "bfloat16").
function fromRaw(array, sizes, dtype) {
  return addon.fromArray(array, sizes, dtype);
}

// A tensor over the memory of a SharedArrayBuffer, without a copy. Memory of an ArrayBuffer may move to another thread at any time.
function fromShared(array, { sizes } = {}) {
  if (!(array?.buffer instanceof SharedArrayBuffer)) {
    throw new TorchError("TypeError", "only an array over a SharedArrayBuffer can share its memory; tensor() copies");
  }
  return addon.fromArray(array, sizes, undefined, true);
}

// ---- scopes and modes ----

function collectTensors(value, found, seen = new Set()) {
  if (value instanceof Tensor) found.push(value);
  else if (value !== null && typeof value === "object" && !seen.has(value)) {
    seen.add(value);
    const items = value instanceof Map || value instanceof Set || Array.isArray(value) ? value : Object.values(value);
    for (const item of items) collectTensors(item, found, seen);
  }
}

// Disposes of everything that is made between its construction and its end, except what `keep` names.
class Scope {
  #depth = addon.openScope();
  #kept = [];
  keep(value) {
    collectTensors(value, this.#kept);
    return value;
  }
  dispose() {
    if (this.#depth === 0) return;
    addon.closeScope(this.#depth, this.#kept);
    this.#depth = 0;
    this.#kept = [];
  }
}

function refusePromise(value, name) {
  if (typeof value?.then !== "function") return;
  value.then(undefined, () => {}); // this error goes first
  throw new TorchError("TypeError", `${name} ends when its function returns, which must not be a promise`);
}

// Calls the function, and disposes of the tensors that it made, except those in its value.
function scope(run) {
  const opened = new Scope();
  try {
    const value = run();
    refusePromise(value, "a scope");
    return opened.keep(value);
  } finally {
    opened.dispose();
  }
}

function inMode(name, mode, on) {
  return (run) => {
    const before = addon.setMode(mode, on);
    try {
      const value = run();
      refusePromise(value, name);
      return value;
    } finally {
      addon.setMode(mode, before);
    }
  };
}

// ---- tensors ----

const shownElements = 1000;

function nest(array, sizes, convert) {
  let list = Array.from(array, convert);
  for (let dim = sizes.length - 1; dim > 0; dim--) {
    const rows = sizes.slice(0, dim).reduce((a, b) => a * b, 1);
    list = Array.from({ length: rows }, (_, row) => list.slice(row * sizes[dim], (row + 1) * sizes[dim]));
  }
  return sizes.length === 0 ? list[0] : list;
}

function toElements(tensor) {
  const array = addon.toArray(tensor);
  const dtype = addon.dtype(tensor);
  if (dtype === "bool") return nest(array, tensor.shape, (byte) => byte !== 0);
  if (dtype.startsWith("complex")) {
    const pairs = Array.from({ length: array.length / 2 }, (_, i) => new Complex(array[2 * i], array[2 * i + 1]));
    return nest(pairs, tensor.shape, (item) => item);
  }
  return nest(array, tensor.shape, (item) => (typeof item === "bigint" && BigInt(Number(item)) === item ? toNumber(item) : item));
}

const toNumber = (item) => (Number.isSafeInteger(Number(item)) ? Number(item) : item);

// Of long dimensions, if shortened, the ends only.
function textOf(tensor, isShortened) {
  const [size] = tensor.shape;
  if (size === undefined || !isShortened || tensor.numel === 0) return elementText(toElements(tensor), addon.dtype(tensor));
  const places = size > 6 ? [0, 1, 2, undefined, size - 3, size - 2, size - 1] : Array.from({ length: size }, (_, i) => i);
  return `[${places.map((i) => (i === undefined ? "..." : textOf(tensor.select(0, i), isShortened))).join(", ")}]`;
}

function elementText(item, dtype) {
  if (Array.isArray(item)) return `[${item.map((part) => elementText(part, dtype)).join(", ")}]`;
  if (item instanceof Complex) return `${item.real}${item.imag < 0 ? "" : "+"}${item.imag}i`;
  return typeof item === "number" && dtype.startsWith("float") ? String(Number(item.toPrecision(5))) : String(item);
}

// The view that numbers and ranges select, and the tensors that then index it.
function viewOf(tensor, indices) {
  let view = tensor;
  let dim = 0;
  const positions = [];
  for (const index of indices) {
    if (typeof index === "number") view = view.select(dim, index);
    else if (index === null) view = view.unsqueeze(dim++);
    else if (index instanceof Tensor) positions[dim++] = index;
    else if (Array.isArray(index)) view = view.slice(dim++, index[0] ?? null, index[1] ?? null, index[2] ?? 1);
    else throw new TorchError("TypeError", "an index is a number, [start, end, step], null or a tensor");
  }
  return [view, Array.from(positions, (position) => position ?? null)];
}

const tensorMembers = {
  get shape() {
    return addon.shape(this);
  },
  get strides() {
    return addon.strides(this);
  },
  get ndim() {
    return addon.shape(this).length;
  },
  get numel() {
    return addon.numel(this);
  },
  get dtype() {
    return addon.dtype(this);
  },
  get device() {
    return addon.device(this);
  },
  get isLeaf() {
    return (addon.flags(this) & flags.isLeaf) !== 0;
  },
  get isContiguous() {
    return (addon.flags(this) & flags.isContiguous) !== 0;
  },
  get requiresGrad() {
    return (addon.flags(this) & flags.requiresGrad) !== 0;
  },
  set requiresGrad(wanted) {
    addon.setRequiresGrad(this, wanted);
  },
  get grad() {
    return addon.getGrad(this);
  },
  set grad(gradient) {
    addon.setGrad(this, gradient);
  },
  backward(gradient, { retainGraph = false, createGraph = false } = {}) {
    addon.backward([this], gradient ? [gradient] : undefined, retainGraph, createGraph);
  },
  backwardAsync(gradient, { retainGraph = false, createGraph = false } = {}) {
    return addon.backwardAsync([this], gradient ? [gradient] : undefined, retainGraph, createGraph);
  },
  onGradient(hook) {
    return addon.addHook(this, hook);
  },
  removeHook(id) {
    addon.removeHook(this, id);
  },
  item() {
    return addon.item(this);
  },
  tolist() {
    return toElements(this);
  },
  toJSON() {
    return toElements(this);
  },
  toTypedArray() {
    return addon.toArray(this);
  },
  copyTo(array) {
    addon.copyTo(this, array);
    return array;
  },
  asTypedArray() {
    return addon.viewOf(this);
  },
  get(...indices) {
    const [view, positions] = viewOf(this, indices);
    return positions.length === 0 ? view : view.index(positions);
  },
  set(indices, value) {
    const [view, positions] = viewOf(this, indices);
    const source = value instanceof Tensor ? value : addon.call("full", "", [], value, { dtype: this.dtype });
    if (positions.length === 0) view.copy_(source);
    else view.index_put_(positions, source);
    return this;
  },
  call(name, overload, ...rest) {
    return addon.call(name, overload, this, ...rest);
  },
  *[Symbol.iterator]() {
    const [rows] = this.shape;
    if (rows === undefined) throw new TorchError("TypeError", "iteration over a 0-d tensor");
    for (let i = 0; i < rows; i++) yield this.select(0, i);
  },
  valueOf() {
    return addon.numel(this) === 1 ? addon.item(this) : this;
  },
  toString() {
    if (this.isDisposed) return "Tensor (disposed)";
    const kind = `Tensor ${this.dtype} [${this.shape.join(", ")}]`;
    const isPlain = this.device === "cpu" && addon.layout(this) === 0;
    return isPlain ? `${kind}: ${textOf(addon.call("detach", "", this), this.numel > shownElements)}` : kind;
  },
  [util.inspect.custom]() {
    return this.toString();
  },
};

const checkpointMembers = {
  get format() {
    return addon.format(this);
  },
  get names() {
    return addon.entries(this).map(([name]) => name);
  },
  get entries() {
    return addon.entries(this).map(([name, dtype, shape, bytes]) => ({ name, dtype, shape, bytes }));
  },
  get metadata() {
    return makeDict(addon.metadata(this), Object.create(null));
  },
  read(name) {
    const found = addon.read(this, name);
    if (found === null) throw new TorchError("KeyError", `the file has no tensor ${JSON.stringify(name)}`);
    return found;
  },
  object() {
    return addon.object(this);
  },
};

const generatorMembers = {
  seed(number) {
    addon.seed(this, number);
    return this;
  },
};

const disposal = {
  dispose() {
    addon.dispose(this);
  },
  get isDisposed() {
    return addon.isDisposed(this);
  },
};
Object.defineProperty(disposal, disposeSymbol, { value: disposal.dispose, writable: true, configurable: true });
Object.defineProperty(Scope.prototype, disposeSymbol, { value: Scope.prototype.dispose, writable: true, configurable: true });

// Members of classes are not enumerable.
function define(target, members) {
  for (const [name, member] of Object.entries(Object.getOwnPropertyDescriptors(members))) {
    Object.defineProperty(target, name, { ...member, enumerable: false });
  }
  for (const symbol of Object.getOwnPropertySymbols(members)) {
    Object.defineProperty(target, symbol, { ...Object.getOwnPropertyDescriptor(members, symbol), enumerable: false });
  }
}

define(Tensor.prototype, tensorMembers);
define(Checkpoint.prototype, checkpointMembers);
define(Generator.prototype, generatorMembers);
for (const type of [Tensor, Checkpoint, Generator]) define(type.prototype, disposal);

// ---- files ----

function open(path, { copy = false, allowed = [] } = {}) {
  return addon.open(path, copy, allowed);
}

// All tensors of a file by name.
function load(path, options) {
  const checkpoint = open(path, options);
  try {
    const tensors = Object.create(null);
    for (const name of checkpoint.names) tensors[name] = checkpoint.read(name);
    return tensors;
  } finally {
    checkpoint.dispose();
  }
}

function save(path, tensors, { format, metadata = {} } = {}) {
  const pairs = tensors instanceof Map ? [...tensors] : Object.entries(tensors);
  const texts = Object.entries(metadata).flat();
  addon.save(path, pairs.map(([name]) => name), pairs.map(([, value]) => value), format, texts);
}

// ---- the module ----

const generator = (device) => addon.generator(device);
const exported = {
  Tensor,
  Generator,
  Checkpoint,
  Complex,
  TorchError,
  Scope,
  tensor,
  fromRaw,
  fromShared,
  scope,
  noGrad: inMode("noGrad", modes.grad, 0),
  enableGrad: inMode("enableGrad", modes.grad, 1),
  inferenceMode: inMode("inferenceMode", modes.inference, 1),
  backward(roots, gradients, { retainGraph = false, createGraph = false } = {}) {
    addon.backward(roots, gradients, retainGraph, createGraph);
  },
  grad(roots, inputs, { gradients, retainGraph = false, createGraph = false, allowUnused = false } = {}) {
    return addon.grad(roots, gradients, inputs, retainGraph || createGraph, createGraph, allowUnused);
  },
  call: addon.call,
  callAsync: addon.callAsync,
  generator,
  manualSeed: (number) => generator().seed(number),
  getNumThreads: () => addon.threads(),
  setNumThreads: (count) => addon.setThreads(count),
  memory() {
    const [objects, bytes] = addon.memory();
    return { objects, bytes };
  },
  version: addon.version(),
  load,
  save,
  open,
};

// What has a meaning of its own in JavaScript, or above, is no operator; `call` calls every one.
for (const [name, operator] of Object.entries(addon.listOperators())) {
  if (!(name in exported)) exported[name] = operator;
  if (!(name in Tensor.prototype)) Object.defineProperty(Tensor.prototype, name, { value: operator, writable: true, configurable: true });
}

module.exports = exported;
