package mindtorch

// #include "shim.h"
import "C"

import (
	"runtime"
	"unsafe"
)

// SetRequiresGrad makes operators on a leaf be recorded or not, with torch's errors for other dtypes and for results of operators.
func (t *Tensor) SetRequiresGrad(on bool) error {
	handle, err := t.c()
	if err != nil {
		return err
	}
	err = check(C.mt_tensor_set_requires_grad(handle, C.int32_t(bit(on))))
	runtime.KeepAlive(t)
	return err
}

// Grad is the accumulated gradient, nil without one.
func (t *Tensor) Grad() (*Tensor, error) {
	handle, err := t.c()
	if err != nil {
		return nil, err
	}
	var out *C.mt_tensor
	err = check(C.mt_tensor_grad(handle, &out))
	runtime.KeepAlive(t)
	return newTensor(unsafe.Pointer(out)), err
}

// SetGrad replaces the gradient; nil clears it.
func (t *Tensor) SetGrad(grad *Tensor) error {
	handle, err := t.c()
	if err != nil {
		return err
	}
	var gradHandle *C.mt_tensor
	if grad != nil {
		if gradHandle, err = grad.c(); err != nil {
			return err
		}
	}
	err = check(C.mt_tensor_set_grad(handle, gradHandle))
	runtime.KeepAlive(t)
	runtime.KeepAlive(grad)
	return err
}

// RetainGrad makes Backward keep the gradient of a tensor that is no leaf.
func (t *Tensor) RetainGrad() error {
	handle, err := t.c()
	if err != nil {
		return err
	}
	err = check(C.mt_tensor_retain_grad(handle))
	runtime.KeepAlive(t)
	return err
}

// GraphOptions are what Backward and Gradients may be asked for.
type GraphOptions struct {
	RetainGraph bool      // the graph can be used again
	CreateGraph bool      // the gradients are recorded, for second derivatives
	AllowUnused bool      // Gradients gives nil for an input that the outputs do not depend on, instead of an error
	Seeds       []*Tensor // the outputs' own gradients; nil, in the list too, for an output with one element, whose gradient is 1
	Inputs      []*Tensor // Backward accumulates into these leaves only
}

// Backward accumulates the gradients of a tensor with one element into the leaves.
func (t *Tensor) Backward() error { return Backward([]*Tensor{t}, GraphOptions{}) }

// Backward accumulates the gradients of the outputs into the leaves.
func Backward(outputs []*Tensor, options GraphOptions) error {
	roots, err := handles(outputs)
	if err != nil {
		return err
	}
	seeds, err := seedsOf(outputs, options.Seeds)
	if err != nil {
		return err
	}
	inputs, err := handles(options.Inputs)
	if err != nil {
		return err
	}
	retain, create := C.int32_t(bit(options.RetainGraph || options.CreateGraph)), C.int32_t(bit(options.CreateGraph))
	err = check(C.mt_autograd_backward(first(roots), first(seeds), C.int64_t(len(roots)), retain, create, first(inputs),
		C.int64_t(len(inputs))))
	runtime.KeepAlive(outputs)
	runtime.KeepAlive(options)
	return err
}

// Gradients returns the gradients of the outputs with respect to the inputs, and accumulates none.
func Gradients(outputs, inputs []*Tensor, options GraphOptions) ([]*Tensor, error) {
	roots, err := handles(outputs)
	if err != nil {
		return nil, err
	}
	seeds, err := seedsOf(outputs, options.Seeds)
	if err != nil {
		return nil, err
	}
	leaves, err := handles(inputs)
	if err != nil {
		return nil, err
	}
	out := make([]*C.mt_tensor, len(inputs))
	retain, create := C.int32_t(bit(options.RetainGraph || options.CreateGraph)), C.int32_t(bit(options.CreateGraph))
	err = check(C.mt_autograd_grad(first(roots), first(seeds), C.int64_t(len(roots)), first(leaves), C.int64_t(len(leaves)),
		retain, create, C.int32_t(bit(options.AllowUnused)), first(out)))
	runtime.KeepAlive(outputs)
	runtime.KeepAlive(inputs)
	runtime.KeepAlive(options)
	if err != nil {
		return nil, err
	}
	gradients := make([]*Tensor, len(out))
	for i, handle := range out {
		gradients[i] = newTensor(unsafe.Pointer(handle))
	}
	return gradients, nil
}

// handles are C pointers in Go memory, which C may read.
func handles(tensors []*Tensor) ([]*C.mt_tensor, error) {
	out := make([]*C.mt_tensor, len(tensors))
	for i, t := range tensors {
		handle, err := t.c()
		if err != nil {
			return nil, err
		}
		out[i] = handle
	}
	return out, nil
}

func seedsOf(outputs, seeds []*Tensor) ([]*C.mt_tensor, error) {
	if seeds == nil {
		return nil, nil
	}
	if len(seeds) != len(outputs) {
		return nil, newError(ValueError, "there are %d outputs and %d seeds", len(outputs), len(seeds))
	}
	out := make([]*C.mt_tensor, len(seeds))
	for i, seed := range seeds {
		if seed == nil {
			continue
		}
		handle, err := seed.c()
		if err != nil {
			return nil, err
		}
		out[i] = handle
	}
	return out, nil
}

func first(list []*C.mt_tensor) **C.mt_tensor {
	if len(list) == 0 {
		return nil
	}
	return &list[0]
}

// NoGrad runs a function whose operators are not recorded. The mode belongs to the thread, which the goroutine keeps meanwhile.
func NoGrad(function func() error) error { return withMode(C.MT_MODE_GRAD, false, function) }

// EnableGrad runs a function whose operators are recorded, inside NoGrad.
func EnableGrad(function func() error) error { return withMode(C.MT_MODE_GRAD, true, function) }

// Inference runs a function that makes inference tensors: as NoGrad, with less bookkeeping.
func Inference(function func() error) error { return withMode(C.MT_MODE_INFERENCE, true, function) }

// GradEnabled reports whether operators of this goroutine are recorded.
func GradEnabled() bool {
	var on C.int32_t
	Check(check(C.mt_mode_get(C.MT_MODE_GRAD, &on)))
	return on != 0
}

func withMode(mode C.int32_t, on bool, function func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	// Inference sets the other modes as well.
	var before [3]C.int32_t
	modes := [3]C.int32_t{C.MT_MODE_INFERENCE, C.MT_MODE_GRAD, C.MT_MODE_FORWARD_GRAD}
	for i := range modes {
		if err := check(C.mt_mode_get(modes[i], &before[i])); err != nil {
			return err
		}
	}
	defer func() {
		for i := range modes {
			C.mt_status_release(C.mt_mode_set(modes[i], before[i]))
		}
	}()
	if err := check(C.mt_mode_set(mode, C.int32_t(bit(on)))); err != nil {
		return err
	}
	return function()
}
