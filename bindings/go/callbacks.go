package mindtorch

// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"unsafe"
)

// Hook gets a gradient and may return another in its place; nil keeps it. The gradient is valid after the call as well. A panic of a
// function that the library calls is an error of that call. Such a function must not end its goroutine, as runtime.Goexit and testing's
// FailNow do: the process exits with a message.
type Hook func(grad *Tensor) (*Tensor, error)

// OnGradient calls a function with the tensor's gradient in each Backward, on the goroutine that calls Backward. An error of the hook
// is the cause of Backward's. The function that it returns removes the hook.
func (t *Tensor) OnGradient(hook Hook) (remove func() error, err error) {
	return t.hook(hook, func(handle *C.mt_tensor, number C.uintptr_t, id *C.int64_t) *C.mt_status {
		return C.mtgo_add_hook(handle, number, id)
	})
}

// OnAccumulate calls a function with the leaf after each Backward has accumulated its gradient.
func (t *Tensor) OnAccumulate(hook func(leaf *Tensor) error) (remove func() error, err error) {
	return t.hook(hook, func(handle *C.mt_tensor, number C.uintptr_t, id *C.int64_t) *C.mt_status {
		return C.mtgo_add_accumulate_hook(handle, number, id)
	})
}

func (t *Tensor) hook(function any, add func(*C.mt_tensor, C.uintptr_t, *C.int64_t) *C.mt_status) (func() error, error) {
	handle, err := t.c()
	if err != nil {
		return nil, err
	}
	number := callbacks.add(function)
	var id C.int64_t
	if err := check(add(handle, C.uintptr_t(number), &id)); err != nil {
		callbacks.remove(number)
		return nil, err
	}
	runtime.KeepAlive(t)
	return func() error {
		handle, err := t.c()
		if err != nil {
			return err
		}
		err = check(C.mt_tensor_remove_hook(handle, id))
		runtime.KeepAlive(t)
		return err
	}, nil
}

// Kernel computes an operator: all arguments, defaults included, to all results, of the types that Call accepts and returns.
type Kernel func(arguments []any) (results []any, err error)

// Derivative returns one gradient for each argument, nil for those without, from the gradients of the results (nil if undefined),
// the arguments and the results.
type Derivative func(grads, arguments, results []any) ([]any, error)

// Operator is an operator that a program has defined; Call finds it by its name.
type Operator struct{ handle *C.mt_op }

// Define adds an operator for the whole process: Define("shop::scale(Tensor self, float factor) -> Tensor", kernel). It runs on every
// device, and its own operators are recorded, unless SetDerivative gives it a gradient.
func Define(schema string, kernel Kernel) (*Operator, error) {
	cSchema, err := cString(schema)
	if err != nil {
		return nil, err
	}
	defer C.free(unsafe.Pointer(cSchema))
	var op *C.mt_op
	if err := check(C.mt_op_define(cSchema, &op)); err != nil {
		return nil, err
	}
	number := callbacks.add(kernel)
	if err := check(C.mtgo_register_kernel(op, C.MT_KEY_COMPOSITE, C.uintptr_t(number))); err != nil {
		callbacks.remove(number)
		return nil, err
	}
	return &Operator{op}, nil
}

// DefineWithDerivative adds an operator for the CPU whose gradient is a function.
func DefineWithDerivative(schema string, kernel Kernel, derivative Derivative) (*Operator, error) {
	cSchema, err := cString(schema)
	if err != nil {
		return nil, err
	}
	defer C.free(unsafe.Pointer(cSchema))
	var op *C.mt_op
	if err := check(C.mt_op_define(cSchema, &op)); err != nil {
		return nil, err
	}
	number := callbacks.add(kernel)
	if err := check(C.mtgo_register_kernel(op, C.MT_KEY_CPU, C.uintptr_t(number))); err != nil {
		callbacks.remove(number)
		return nil, err
	}
	number = callbacks.add(derivative)
	if err := check(C.mtgo_register_derivative(op, C.uintptr_t(number))); err != nil {
		callbacks.remove(number)
		return nil, err
	}
	return &Operator{op}, nil
}

// guarded calls a callback. C cannot be unwound, so a panic is an error, and the end of the goroutine is that of the process.
func guarded(call func() error) (status *C.mt_status) {
	returned := false
	defer func() {
		if !returned {
			fmt.Fprint(os.Stderr, "fatal error: a Go callback of mindtorch ended its goroutine, by runtime.Goexit or testing's FailNow\n\n")
			debug.PrintStack()
			os.Exit(2)
		}
	}()
	status = recovered(call)
	returned = true
	return status
}

func recovered(call func() error) (status *C.mt_status) {
	finished := false
	defer func() {
		caught := recover() // also nil for panic(nil)
		if finished {
			return
		}
		if err, ok := caught.(error); ok {
			status = statusOf(fmt.Errorf("panic in a Go callback: %w", err))
		} else {
			status = statusOf(fmt.Errorf("panic in a Go callback: %v", caught))
		}
	}()
	status = statusOf(call())
	finished = true
	return status
}

func shared(handle *C.mt_tensor) *Tensor {
	C.mt_tensor_retain(handle)
	return newTensor(unsafe.Pointer(handle))
}

//export mindtorchForget
func mindtorchForget(number C.uintptr_t) { callbacks.remove(uintptr(number)) }

//export mindtorchHook
func mindtorchHook(number C.uintptr_t, grad *C.mt_tensor, replacement **C.mt_tensor) *C.mt_status {
	return guarded(func() error {
		other, err := callbacks.get(uintptr(number)).(Hook)(shared(grad))
		if err != nil || other == nil {
			return err
		}
		handle, err := other.c()
		if err != nil {
			return err
		}
		C.mt_tensor_retain(handle)
		*replacement = handle
		runtime.KeepAlive(other)
		return nil
	})
}

//export mindtorchAccumulateHook
func mindtorchAccumulateHook(number C.uintptr_t, leaf *C.mt_tensor) *C.mt_status {
	return guarded(func() error { return callbacks.get(uintptr(number)).(func(*Tensor) error)(shared(leaf)) })
}

//export mindtorchKernel
func mindtorchKernel(number C.uintptr_t, args *C.mt_value, n C.int64_t, rets *C.mt_value, nRets C.int64_t) *C.mt_status {
	return guarded(func() error {
		results, err := callbacks.get(uintptr(number)).(Kernel)(unboxed(args, n))
		if err != nil {
			return err
		}
		return give(results, rets, nRets)
	})
}

//export mindtorchDerivative
func mindtorchDerivative(number C.uintptr_t, grads *C.mt_value, nGrads C.int64_t, args *C.mt_value, nArgs C.int64_t,
	results *C.mt_value, nResults C.int64_t, out *C.mt_value) *C.mt_status {
	return guarded(func() error {
		derivative := callbacks.get(uintptr(number)).(Derivative)
		given, err := derivative(unboxed(grads, nGrads), unboxed(args, nArgs), unboxed(results, nResults))
		if err != nil {
			return err
		}
		return give(given, out, nArgs)
	})
}

//export mindtorchProgress
func mindtorchProgress(number C.uintptr_t, done, total C.int64_t) *C.mt_status {
	return guarded(func() error {
		return callbacks.get(uintptr(number)).(func(done, total int64) error)(int64(done), int64(total))
	})
}

func unboxed(values *C.mt_value, n C.int64_t) []any {
	out := make([]any, int(n))
	for i, v := range unsafe.Slice((*value)(unsafe.Pointer(values)), int(n)) {
		out[i] = v.any()
	}
	return out
}

// give writes owned values for C.
func give(results []any, out *C.mt_value, n C.int64_t) error {
	if len(results) != int(n) {
		return newError(RuntimeError, "the function returned %d values instead of %d", len(results), int(n))
	}
	if n == 0 {
		return nil
	}
	c := begin(&operator{name: "callback", count: len(results)})
	defer c.end()
	for i, result := range results {
		c.box(i, kindScalar, result)
	}
	if c.err != nil {
		return c.err
	}
	var words *C.uint64_t
	if len(c.words) > 0 {
		words = (*C.uint64_t)(unsafe.Pointer(&c.words[0]))
	}
	err := check(C.mtgo_copy_values((*C.mt_value)(unsafe.Pointer(&c.values[0])), n, words, out))
	runtime.KeepAlive(results)
	return err
}
