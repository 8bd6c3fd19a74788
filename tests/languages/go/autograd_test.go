package tests

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	mt "mindtorch.org/mindtorch"
)

func leaf(t *testing.T, elements ...float32) *mt.Tensor {
	t.Helper()
	x := floats(t, elements)
	if err := x.SetRequiresGrad(true); err != nil {
		t.Fatal(err)
	}
	return x
}

// cube is (x**3).sum(), whose gradient is 3 * x**2.
func cube(t *testing.T, x *mt.Tensor) *mt.Tensor {
	t.Helper()
	one := value[*mt.Tensor](t)
	return one(one(x.PowTensorScalar(3)).Sum())
}

func TestBackwardAccumulatesGradients(t *testing.T) {
	x := leaf(t, 1, 2, 3)
	if grad, err := x.Grad(); grad != nil || err != nil {
		t.Error(grad, err)
	}
	loss := cube(t, x)
	if err := mt.Backward([]*mt.Tensor{loss}, mt.GraphOptions{RetainGraph: true}); err != nil {
		t.Fatal(err)
	}
	wantElements(t, value[*mt.Tensor](t)(x.Grad()), 3, 12, 27)
	if err := loss.Backward(); err != nil {
		t.Fatal(err)
	}
	wantElements(t, value[*mt.Tensor](t)(x.Grad()), 6, 24, 54)
	wantError(t, loss.Backward(), mt.RuntimeError, "Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors after calling backward.")
	if err := x.SetGrad(nil); err != nil {
		t.Error(err)
	}
	if grad, err := x.Grad(); grad != nil || err != nil {
		t.Error(grad, err)
	}
}

func TestGradientsOfGradients(t *testing.T) {
	x := leaf(t, 1, 2, 3)
	first, err := mt.Gradients([]*mt.Tensor{cube(t, x)}, []*mt.Tensor{x}, mt.GraphOptions{CreateGraph: true})
	if err != nil {
		t.Fatal(err)
	}
	sum := value[*mt.Tensor](t)(first[0].Sum())
	second, err := mt.Gradients([]*mt.Tensor{sum}, []*mt.Tensor{x}, mt.GraphOptions{})
	if err != nil {
		t.Fatal(err)
	}
	wantElements(t, second[0], 6, 12, 18) // 6 * x
	if grad, _ := x.Grad(); grad != nil {
		t.Error("Gradients accumulated")
	}
	unused := leaf(t, 1)
	grads, err := mt.Gradients([]*mt.Tensor{cube(t, x)}, []*mt.Tensor{x, unused}, mt.GraphOptions{AllowUnused: true})
	if err != nil || grads[1] != nil {
		t.Error(grads, err)
	}
	seed := floats(t, []float32{1, 0, 2})
	y := value[*mt.Tensor](t)(x.MulScalar(10))
	grads, err = mt.Gradients([]*mt.Tensor{y}, []*mt.Tensor{x}, mt.GraphOptions{Seeds: []*mt.Tensor{seed}})
	if err != nil {
		t.Fatal(err)
	}
	wantElements(t, grads[0], 10, 0, 20)
}

func TestErrorsOfAutograd(t *testing.T) {
	whole := value[*mt.Tensor](t)(mt.FromSlice([]int{1, 2}))
	wantError(t, whole.SetRequiresGrad(true), mt.RuntimeError, "Only Tensors of floating point and complex dtype can require gradients")
	wantError(t, floats(t, []float32{1}).Backward(), mt.RuntimeError, "element 0 of tensors does not require grad and does not have a grad_fn")
	_, err := leaf(t, 1, 2).AddScalarInPlace(1)
	wantError(t, err, mt.RuntimeError, "a leaf Variable that requires grad is being used in an in-place operation.")
}

func TestNoGradRecordsNothingAndRestoresTheMode(t *testing.T) {
	x := leaf(t, 1)
	failure := errors.New("from inside")
	err := mt.NoGrad(func() error {
		if y := value[*mt.Tensor](t)(x.MulScalar(2)); y.RequiresGrad() || mt.GradEnabled() {
			t.Error("recorded in NoGrad")
		}
		runtime.Gosched()
		return mt.EnableGrad(func() error {
			if y := value[*mt.Tensor](t)(x.MulScalar(2)); !y.RequiresGrad() {
				t.Error("not recorded in EnableGrad")
			}
			return failure
		})
	})
	if err != failure || !mt.GradEnabled() {
		t.Error(err, mt.GradEnabled())
	}
	func() {
		defer func() { _ = recover() }()
		_ = mt.NoGrad(func() error { panic("out") })
	}()
	if !mt.GradEnabled() {
		t.Error("the mode stays off after a panic")
	}
	if err := mt.Inference(func() error { return nil }); err != nil || !mt.GradEnabled() {
		t.Error(err)
	}
}

func TestHooksSeeAndReplaceGradients(t *testing.T) {
	x := leaf(t, 1, 2, 3)
	var seen []float64
	remove, err := x.OnGradient(func(grad *mt.Tensor) (*mt.Tensor, error) {
		var err error
		if seen, err = grad.Float64s(); err != nil {
			return nil, err
		}
		return grad.MulScalar(2)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := cube(t, x).Backward(); err != nil {
		t.Fatal(err)
	}
	if len(seen) != 3 || seen[2] != 27 {
		t.Error(seen)
	}
	wantElements(t, value[*mt.Tensor](t)(x.Grad()), 6, 24, 54)
	if err := remove(); err != nil {
		t.Fatal(err)
	}
	_ = x.SetGrad(nil)
	accumulated := 0
	if _, err := x.OnAccumulate(func(leaf *mt.Tensor) error { accumulated = leaf.Len(); return nil }); err != nil {
		t.Fatal(err)
	}
	if err := cube(t, x).Backward(); err != nil {
		t.Fatal(err)
	}
	wantElements(t, value[*mt.Tensor](t)(x.Grad()), 3, 12, 27)
	if accumulated != 3 {
		t.Error(accumulated)
	}
}

func TestErrorsAndPanicsOfHooksComeOutOfBackward(t *testing.T) {
	failure := errors.New("from the hook")
	x := leaf(t, 1)
	if _, err := x.OnGradient(func(*mt.Tensor) (*mt.Tensor, error) { return nil, failure }); err != nil {
		t.Fatal(err)
	}
	err := cube(t, x).Backward()
	wantError(t, err, mt.RuntimeError, "from the hook")
	if !errors.Is(err, failure) {
		t.Error("the hook's own error is lost")
	}
	y := leaf(t, 1)
	if _, err := y.OnGradient(func(*mt.Tensor) (*mt.Tensor, error) { panic("no") }); err != nil {
		t.Fatal(err)
	}
	wantError(t, cube(t, y).Backward(), mt.RuntimeError, "panic in a Go callback: no")
}

func TestNilPanicsOfHooksAreErrors(t *testing.T) {
	x := leaf(t, 1)
	if _, err := x.OnGradient(func(*mt.Tensor) (*mt.Tensor, error) { panic(nil) }); err != nil {
		t.Fatal(err)
	}
	if err := cube(t, x).Backward(); err == nil || !strings.HasPrefix(err.Error(), "RuntimeError: panic in a Go callback: ") {
		t.Error(err) // Go 1.21 has a text for it, Go 1.20 has "<nil>"
	}
}

func TestAHookThatEndsItsGoroutineEndsTheProcess(t *testing.T) {
	output, err, isAlone := rerun(t)
	if !isAlone {
		text := "fatal error: a Go callback of mindtorch ended its goroutine, by runtime.Goexit or testing's FailNow\n"
		if err == nil || err.Error() != "exit status 2" || !strings.Contains(output, text) {
			t.Errorf("%v:\n%s", err, output)
		}
		return
	}
	x := leaf(t, 1)
	if _, err := x.OnGradient(func(*mt.Tensor) (*mt.Tensor, error) { runtime.Goexit(); return nil, nil }); err != nil {
		t.Fatal(err)
	}
	t.Fatal(cube(t, x).Backward())
}

func TestOperatorsDefinedInGo(t *testing.T) {
	_, err := mt.Define("gotest::scale(Tensor self, float factor=3.0) -> Tensor", func(arguments []any) ([]any, error) {
		y, err := arguments[0].(*mt.Tensor).MulScalar(arguments[1])
		return []any{y}, err
	})
	if err != nil {
		t.Fatal(err)
	}
	x := leaf(t, 1, 2)
	y := value[*mt.Tensor](t)(mt.CallOne("gotest::scale", "", x))
	wantElements(t, y, 3, 6)
	if err := value[*mt.Tensor](t)(y.Sum()).Backward(); err != nil {
		t.Fatal(err)
	}
	wantElements(t, value[*mt.Tensor](t)(x.Grad()), 3, 3)

	square := func(arguments []any) ([]any, error) {
		x := arguments[0].(*mt.Tensor)
		y, err := x.Mul(x)
		return []any{y}, err
	}
	// A derivative that is wrong on purpose, so that its use shows.
	derivative := func(grads, arguments, results []any) ([]any, error) {
		grad, err := grads[0].(*mt.Tensor).MulScalar(100)
		return []any{grad}, err
	}
	if _, err := mt.DefineWithDerivative("gotest::square(Tensor self) -> Tensor", square, derivative); err != nil {
		t.Fatal(err)
	}
	z := leaf(t, 3)
	squared := value[*mt.Tensor](t)(mt.CallOne("gotest::square", "", z))
	wantElements(t, squared, 9)
	if err := squared.Backward(); err != nil {
		t.Fatal(err)
	}
	wantElements(t, value[*mt.Tensor](t)(z.Grad()), 100)

	if _, err := mt.Define("gotest::wrong(Tensor self) -> Tensor", func([]any) ([]any, error) { return nil, nil }); err != nil {
		t.Fatal(err)
	}
	_, err = mt.Call("gotest::wrong", "", x)
	wantError(t, err, mt.RuntimeError, "the function returned 0 values instead of 1")
	if _, err = mt.Define("no schema", nil); err == nil {
		t.Error("a wrong schema was accepted")
	}
}
