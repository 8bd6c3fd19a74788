// Package mindtorch is PyTorch's eager runtime for Go: tensors, all of torch's operators, gradients and checkpoints, through
// the C library libmindtorch.
//
//	x := mindtorch.Must(mindtorch.FromSlice([]float32{1, 2, 3, 4}, 2, 2))
//	y, err := x.Mul(x)          // errors carry torch's kind and text
//	s, err := y.Sum(mindtorch.WithDtype(mindtorch.Float64))
//
// # Operators
//
// Every operator of torch is a method of its first tensor, or a function if it has none: Add, Linear, CrossEntropyLoss, Zeros.
// Other overloads have torch's name of the overload behind the operator's name (AddScalar, SumDimIntList, MaxDim); operators that
// write into their tensor end in InPlace, those that write into given tensors in Out. Optional arguments are options named like
// torch's keywords: x.SoftmaxInt(1, mindtorch.WithDtype(mindtorch.Float64)). Call calls any operator by its name in the schema.
//
// # Memory
//
// Close frees a tensor at once, and a Scope frees many. What is not closed is freed after Go's garbage collector has found it
// unreachable. The collector does not see native memory, so the package counts it and starts a collection whenever it has grown by half
// (at least by 128 MiB) since the last one.
//
// # Goroutines
//
// Any goroutine may use any tensor, and several may use one as long as none of them writes to it. Modes (NoGrad, Inference) belong to an
// operating system thread: the functions that set them call runtime.LockOSThread, and goroutines started inside run without them. A long
// operator occupies a thread of its own; other goroutines go on.
package mindtorch
