package mindtorch

// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"fmt"
	"strings"
	"sync"
	"unsafe"
)

// Kind is Python's name for an error. Kinds are errors themselves, for errors.Is(err, mindtorch.IndexError).
type Kind string

// The kinds that torch's operators raise most.
const (
	RuntimeError        Kind = "RuntimeError"
	TypeError           Kind = "TypeError"
	ValueError          Kind = "ValueError"
	IndexError          Kind = "IndexError"
	NotImplementedError Kind = "NotImplementedError"
	OutOfMemoryError    Kind = "OutOfMemoryError"
	UnpicklingError     Kind = "UnpicklingError"
)

func (k Kind) Error() string { return string(k) }

// Error is a failure that the library reported, with torch's text.
type Error struct {
	Kind    Kind
	Message string
	cause   error
}

func (e *Error) Error() string { return string(e.Kind) + ": " + e.Message }

// Is reports whether target is the kind of this error.
func (e *Error) Is(target error) bool {
	kind, ok := target.(Kind)
	return ok && kind == e.Kind
}

// Unwrap returns the error that a Go callback returned, or the library's own cause, or nil.
func (e *Error) Unwrap() error { return e.cause }

func newError(kind Kind, format string, arguments ...any) error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, arguments...)}
}

// check takes over a status; nil is success.
func check(status *C.mt_status) error {
	if status == nil {
		return nil
	}
	defer C.mt_status_release(status)
	return errorOf(status)
}

func errorOf(status *C.mt_status) error {
	err := &Error{Kind: Kind(C.GoString(C.mt_status_kind(status))), Message: C.GoString(C.mt_status_message(status))}
	if original, ok := callbacks.get(uintptr(C.mt_status_payload_borrow(status))).(error); ok {
		err.cause = original
	} else if cause := C.mt_status_cause_borrow(status); cause != nil {
		err.cause = errorOf(cause)
	}
	return err
}

// statusOf is the status that a callback returns for its error; nil for nil.
func statusOf(err error) *C.mt_status {
	if err == nil {
		return nil
	}
	kind, message := string(RuntimeError), err.Error()
	if known, ok := err.(*Error); ok {
		kind, message = string(known.Kind), known.Message
	}
	cKind, cMessage := C.CString(kind), C.CString(message)
	defer C.free(unsafe.Pointer(cKind))
	defer C.free(unsafe.Pointer(cMessage))
	return C.mtgo_status_of_error(cKind, cMessage, C.uintptr_t(callbacks.add(err)))
}

func needNoNUL(text string) error {
	if strings.IndexByte(text, 0) >= 0 {
		return newError(ValueError, "a text must not contain NUL: %q", text)
	}
	return nil
}

// cString is a copy in C's memory, where a text ends at its first NUL.
func cString(text string) (*C.char, error) {
	if err := needNoNUL(text); err != nil {
		return nil, err
	}
	return C.CString(text), nil
}

// goString is C.GoStringN for texts of any length.
func goString(text *C.char, n C.int64_t) string {
	return string(unsafe.Slice((*byte)(unsafe.Pointer(text)), int(n)))
}

// goBytes is C.GoBytes for any length.
func goBytes(text *C.char, n C.int64_t) []byte {
	return append([]byte{}, unsafe.Slice((*byte)(unsafe.Pointer(text)), int(n))...)
}

// registry numbers Go values that C refers to.
type registry struct {
	mutex  sync.Mutex
	values map[uintptr]any
	last   uintptr
}

var callbacks = registry{values: map[uintptr]any{}}

func (r *registry) add(value any) uintptr {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.last++
	r.values[r.last] = value
	return r.last
}

func (r *registry) get(number uintptr) any {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.values[number]
}

func (r *registry) remove(number uintptr) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	delete(r.values, number)
}

// failure is what Must panics with and Recover catches.
type failure struct{ err error }

func (f failure) Error() string { return f.err.Error() }
func (f failure) Unwrap() error { return f.err }

// Must returns the value, or panics with the error. Recover turns the panic into an error again.
func Must[T any](value T, err error) T {
	if err != nil {
		panic(failure{err})
	}
	return value
}

// Check panics with an error that is not nil, as Must does.
func Check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// Recover sets *err to the error of a Must or Check that panicked. Call it deferred: defer mindtorch.Recover(&err).
func Recover(err *error) {
	switch caught := recover().(type) {
	case nil:
	case failure:
		*err = caught.err
	default:
		panic(caught)
	}
}
