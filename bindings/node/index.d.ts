// The package's types. `operators.d.ts`, which the build writes, has the operators.
import type { Methods } from "./operators";

export * from "./operators";

export type DType =
  | "float32" | "float64" | "float16" | "bfloat16" | "int64" | "int32" | "int16" | "int8" | "uint8" | "uint16" | "uint32" | "uint64"
  | "bool" | "complex64" | "complex128" | "complex32" | "float8_e5m2" | "float8_e4m3fn" | "float8_e5m2fnuz" | "float8_e4m3fnuz"
  | "float8_e8m0fnu";
export type TypedArray =
  | Float32Array | Float64Array | BigInt64Array | BigUint64Array | Int32Array | Int16Array | Int8Array | Uint32Array | Uint16Array
  | Uint8Array | Uint8ClampedArray;
export type Scalar = number | bigint | boolean | Complex;
export type NestedArray<T> = T | readonly NestedArray<T>[];
/** A number selects, [start, end, step] is a range, null a new dimension, a tensor has positions or a mask. */
export type Index = number | readonly (number | null)[] | null | Tensor;

export class Complex {
  constructor(real: number, imag: number);
  real: number;
  imag: number;
}

/** An error of the library, with torch's text; `kind` and `name` are Python's name of it, for example "IndexError". */
export class TorchError extends Error {
  constructor(kind: string, message: string);
  readonly kind: string;
}

interface Disposal {
  /** Frees the object now. A second call is harmless; any other use throws. Otherwise V8's collector frees it. */
  dispose(): void;
  readonly isDisposed: boolean;
}

export interface BackwardOptions {
  retainGraph?: boolean;
  createGraph?: boolean;
}

export interface Tensor extends Methods, Disposal, Iterable<Tensor> {}
export class Tensor {
  private constructor();
  readonly shape: number[];
  readonly strides: number[];
  readonly ndim: number;
  readonly numel: number;
  readonly dtype: DType;
  readonly device: string;
  readonly isLeaf: boolean;
  readonly isContiguous: boolean;
  requiresGrad: boolean;
  get grad(): Tensor | null;
  set grad(gradient: Tensor | null);
  /** Accumulates gradients in the leaves. `gradient` may be omitted for one element. */
  backward(gradient?: Tensor | null, options?: BackwardOptions): void;
  backwardAsync(gradient?: Tensor | null, options?: BackwardOptions): Promise<void>;
  /** Calls `hook` with each gradient of this tensor; a tensor that it returns replaces the gradient. Returns the hook's number. */
  onGradient(hook: (gradient: Tensor) => Tensor | void | null): number;
  removeHook(id: number): void;
  /** The number of a tensor with one element. */
  item(): number | bigint | boolean | Complex;
  /** The elements as nested arrays; without dimensions, the number. */
  tolist(): any;
  /** What JSON.stringify writes: the nested arrays of tolist. */
  toJSON(): any;
  /** A copy of the elements in row-major order; 16-bit floating-point numbers as float32, booleans as bytes, complex numbers as pairs. */
  toTypedArray(): TypedArray;
  /** The same copy, into an array of that type and length, which it returns. */
  copyTo<T extends TypedArray>(array: T): T;
  /** The tensor's own memory: writes change the tensor. It must be contiguous and on the CPU. */
  asTypedArray(): TypedArray;
  get(...indices: Index[]): Tensor;
  set(indices: readonly Index[], value: Tensor | Scalar): this;
  call(name: string, overload: string, ...rest: unknown[]): any;
  toString(): string;
}

export interface Generator extends Disposal {}
export class Generator {
  private constructor();
  seed(number: number | bigint): this;
}

export interface Entry {
  name: string;
  dtype: DType;
  shape: number[];
  bytes: number;
}
export interface OpenOptions {
  /** Copies tensors to memory; otherwise they use the mapped file. */
  copy?: boolean;
  /** Dotted names of classes and functions that a pickle may use besides those that torch allows. None of them runs. */
  allowed?: readonly string[];
}
/** An opened file of torch, safetensors, NumPy or GGUF. Elements are read on use; no code from the file runs. */
export interface Checkpoint extends Disposal {}
export class Checkpoint {
  private constructor();
  readonly format: string;
  readonly names: string[];
  readonly entries: Entry[];
  readonly metadata: Record<string, string>;
  read(name: string): Tensor;
  /** The whole object of a torch file: dicts are objects, or maps if a key is no string. */
  object(): any;
}

/** Disposes of everything that is made between its construction and `dispose`, except what it keeps. */
export class Scope {
  constructor();
  keep<T>(value: T): T;
  dispose(): void;
}

/** A tensor of a number, nested arrays (numbers are float32, BigInts int64) or a typed array, which keeps its type. Copies. */
export function tensor(
  values: NestedArray<Scalar> | TypedArray,
  options?: { dtype?: DType; sizes?: readonly number[]; requiresGrad?: boolean },
): Tensor;
/** A copy of raw elements: `fromRaw(new Uint16Array(bits), [2, 2], "bfloat16")`. */
export function fromRaw(array: TypedArray, sizes: readonly number[], dtype: DType): Tensor;
/** A tensor over the memory of a SharedArrayBuffer, without a copy. */
export function fromShared(array: TypedArray, options?: { sizes?: readonly number[] }): Tensor;
/** Calls the function and disposes of the tensors that it made, except those in its value. */
export function scope<T>(run: () => T): T;
export function noGrad<T>(run: () => T): T;
export function enableGrad<T>(run: () => T): T;
export function inferenceMode<T>(run: () => T): T;
export function backward(roots: readonly Tensor[], gradients?: readonly (Tensor | null)[] | null, options?: BackwardOptions): void;
/** Gradients of the roots with respect to the inputs; changes no `grad`. */
export function grad(
  roots: readonly Tensor[],
  inputs: readonly Tensor[],
  options?: BackwardOptions & { gradients?: readonly (Tensor | null)[]; allowUnused?: boolean },
): (Tensor | null)[];
/** Calls any operator; with the overload "" the arguments select it. */
export function call(name: string, overload: string, ...rest: unknown[]): any;
export function callAsync(name: string, overload: string, ...rest: unknown[]): Promise<any>;
/** The default generator of the CPU, or a new one of a device. */
export function generator(device?: string): Generator;
export function manualSeed(number: number | bigint): Generator;
export function getNumThreads(): number;
export function setNumThreads(count: number): void;
/** The number of objects that hold tensors, and the bytes that tensors use. */
export function memory(): { objects: number; bytes: number };
export const version: string;
export function open(path: string, options?: OpenOptions): Checkpoint;
/** All tensors of a file by name. */
export function load(path: string, options?: OpenOptions): Record<string, Tensor>;
export function save(
  path: string,
  tensors: Record<string, Tensor> | Map<string, Tensor>,
  options?: { format?: "safetensors" | "torch"; metadata?: Record<string, string> },
): void;

declare const everything: typeof import("./index");
export default everything;
