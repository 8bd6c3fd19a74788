package mindtorch

// #include "shim.h"
import "C"

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

const (
	checkEvery    = 8 << 20   // bytes of new tensors between two looks at the allocator
	leastGrowth   = 128 << 20 // bytes that the allocator's memory grows before a collection, or half of it if that is more
	finalizerWait = 200 * time.Millisecond
)

// pressure starts Go's collector when native memory has grown, since the collector sees a tensor as a few bytes.
type pressureState struct {
	created int64 // bytes of new tensors since the last look
	mutex   sync.Mutex
	live    int64 // bytes in use after the last collection
}

var pressure pressureState

// created notes new tensors. Views count too, which costs an early look at the allocator, not a collection.
func (p *pressureState) add(bytes int64) {
	if bytes > 0 && atomic.AddInt64(&p.created, bytes) >= checkEvery {
		atomic.StoreInt64(&p.created, 0)
		p.look()
	}
}

func (p *pressureState) look() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	used := AllocatedBytes()
	if used < p.live {
		p.live = used
	}
	growth := p.live / 2
	if growth < leastGrowth {
		growth = leastGrowth
	}
	if used-p.live < growth {
		return
	}
	collect()
	p.live = AllocatedBytes()
}

// collect runs the collector and waits until the finalizers that it found have run. One goroutine runs all finalizers in order; the
// time limit is for a program whose own finalizer blocks or waits for this one.
func collect() {
	done := make(chan struct{})
	sentinel := &struct{ _ [16]byte }{}
	runtime.SetFinalizer(sentinel, func(*struct{ _ [16]byte }) { close(done) })
	sentinel = nil
	runtime.GC()
	select {
	case <-done:
	case <-time.After(finalizerWait):
	}
}

// AllocatedBytes is the number of bytes that tensors on the CPU use, as the library's allocator counts them.
func AllocatedBytes() int64 {
	var out C.int64_t
	if status := C.mtgo_allocated_bytes(&out); status != nil {
		C.mt_status_release(status)
	}
	return int64(out)
}

// EmptyCache returns memory that the allocator keeps for new tensors to the system.
func EmptyCache() error { return check(C.mt_allocator_empty_cache()) }

// Scope collects tensors to close together. One goroutine uses it:
//
//	scope := mindtorch.NewScope()
//	defer scope.Close()
//	hidden := scope.Must(x.Mm(weight))
type Scope struct{ tensors []*Tensor }

// NewScope makes an empty scope.
func NewScope() *Scope { return &Scope{} }

// Add adds tensors, which Close will close.
func (s *Scope) Add(tensors ...*Tensor) { s.tensors = append(s.tensors, tensors...) }

// Must adds the tensor and returns it, or panics with the error as the function Must does.
func (s *Scope) Must(t *Tensor, err error) *Tensor {
	Check(err)
	s.Add(t)
	return t
}

// Keep takes a tensor out of the scope, which will not close it.
func (s *Scope) Keep(t *Tensor) *Tensor {
	for i, tensor := range s.tensors {
		if tensor == t {
			s.tensors = append(s.tensors[:i], s.tensors[i+1:]...)
			break
		}
	}
	return t
}

// Close closes all tensors of the scope.
func (s *Scope) Close() {
	for _, tensor := range s.tensors {
		tensor.Close()
	}
	s.tensors = nil
}
