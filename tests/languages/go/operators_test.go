package tests

import (
	"testing"

	mt "mindtorch.org/mindtorch"
)

// Expected numbers are those of torch 2.13.0 (CPU) for the call in the comment.

func TestOperatorsTakeOptions(t *testing.T) {
	one := value[*mt.Tensor](t)
	x := floats(t, []float32{0, 1, 2, 3, 4, 5}, 2, 3)
	// torch.add(x, x, alpha=2)
	wantElements(t, one(x.Add(x, mt.WithAlpha(2))), 0, 3, 6, 9, 12, 15)
	// x.clamp(max=3), x.clamp(min=1, max=3)
	wantElements(t, one(x.Clamp(mt.WithMax(3))), 0, 1, 2, 3, 3, 3)
	wantElements(t, one(x.Clamp(mt.WithMin(1), mt.WithMax(3.0))), 1, 1, 2, 3, 3, 3)
	// torch.std(x, dim=1, correction=0)
	wantElements(t, one(x.StdCorrection(mt.WithDim(1), mt.WithCorrection(0))), 0.8164966106414795, 0.8164966106414795)
	// F.cross_entropy(torch.tensor([[1., 2., 3.]]), torch.tensor([2]), label_smoothing=0.1)
	logits := floats(t, []float32{1, 2, 3}, 1, 3)
	labels := one(mt.FromSlice([]int{2}))
	wantElements(t, one(logits.CrossEntropyLoss(labels, mt.WithLabelSmoothing(0.1))), 0.5076059103012085)
	// torch.zeros(2, dtype=torch.float64)
	if zeros := one(mt.Zeros([]int{2}, mt.WithDtype(mt.Float64))); zeros.DType() != mt.Float64 {
		t.Error(zeros.DType())
	}
	// torch.div(torch.tensor([7., -7.]), 2, rounding_mode="floor")
	sevens := floats(t, []float32{7, -7})
	wantElements(t, one(sevens.DivScalarMode(2, mt.WithRoundingMode("floor"))), 3, -4)
	_, err := x.Add(x, mt.WithKeepdim(true))
	wantError(t, err, mt.TypeError, "add() got an unexpected keyword argument 'keepdim'")
}

func TestOperatorsReturnSeveralResultsAndLists(t *testing.T) {
	x := floats(t, []float32{0, 1, 2, 3, 4, 5}, 2, 3)
	values, indices, err := x.MaxDim(1)
	if err != nil {
		t.Fatal(err)
	}
	wantElements(t, values, 2, 5)
	wantElements(t, indices, 2, 2)
	parts, err := x.Split(2, mt.WithDim(1))
	if err != nil || len(parts) != 2 {
		t.Fatal(parts, err)
	}
	wantElements(t, parts[1], 2, 5)
	wantElements(t, value[*mt.Tensor](t)(mt.Cat(parts, mt.WithDim(1))), 0, 1, 2, 3, 4, 5)
	same, err := x.Equal(x)
	if err != nil || !same {
		t.Error(same, err)
	}
}

func TestInPlaceAndOutWriteAndReturnTheirTensor(t *testing.T) {
	x := floats(t, []float32{1, 2})
	if same, err := x.MulScalarInPlace(3); err != nil || same != x {
		t.Error(same, err)
	}
	wantElements(t, x, 3, 6)
	out := value[*mt.Tensor](t)(mt.Empty([]int{2}))
	if same, err := x.AddOut(x, out); err != nil || same != out {
		t.Error(same, err)
	}
	wantElements(t, out, 6, 12)
	wantElements(t, x, 3, 6)
}

func TestIndexingTakesOptionalTensors(t *testing.T) {
	x := floats(t, []float32{0, 1, 2, 3, 4, 5}, 2, 3)
	columns := value[*mt.Tensor](t)(mt.FromSlice([]int{2, 0}))
	// x[:, torch.tensor([2, 0])]
	wantElements(t, value[*mt.Tensor](t)(x.Index([]*mt.Tensor{nil, columns})), 2, 0, 5, 3)
}

func TestOperatorsByName(t *testing.T) {
	x := floats(t, []float32{1, 2})
	wantElements(t, value[*mt.Tensor](t)(mt.CallOne("add", "Tensor", x, x, mt.Named("alpha", 2))), 3, 6)
	wantElements(t, value[*mt.Tensor](t)(mt.CallOne("zeros", "", []int{2}, mt.Named("dtype", "float64"))), 0, 0)
	wantElements(t, value[*mt.Tensor](t)(mt.CallOne("clamp", "", x, nil, 1)), 1, 1)
	wantElements(t, value[*mt.Tensor](t)(mt.CallOne("cat", "", []*mt.Tensor{x, x})), 1, 2, 1, 2)
	results, err := mt.Call("result_type", "Tensor", x, value[*mt.Tensor](t)(mt.FromSlice([]float64{1})))
	if err != nil || len(results) != 1 || results[0] != mt.Float64 {
		t.Error(results, err)
	}
	_, err = mt.Call("zeros", "", []int{2}, mt.Named("dtyp", mt.Float64))
	wantError(t, err, mt.TypeError, "zeros() got an unexpected keyword argument 'dtyp'")
	if _, err = mt.Call("no_such_operator", ""); err == nil {
		t.Error("an operator was invented")
	}
	if _, err = mt.Call("neg", "", x, x); err == nil {
		t.Error("neg took two tensors")
	}
	if _, err = mt.Call("neg", "", struct{}{}); err == nil {
		t.Error("neg took a struct")
	}
}

// torch.manual_seed(7); torch.randn(3)
func TestRandomNumbersAreTorchs(t *testing.T) {
	if err := mt.ManualSeed(7); err != nil {
		t.Fatal(err)
	}
	wantElements(t, value[*mt.Tensor](t)(mt.Randn([]int{3})), -0.1467950940132141, 0.7861412763595581, 0.9468216300010681)
	generator := value[*mt.Generator](t)(mt.NewGenerator(mt.CPU))
	if err := generator.Seed(7); err != nil {
		t.Fatal(err)
	}
	wantElements(t, value[*mt.Tensor](t)(mt.RandnGenerator([]int{3}, mt.WithGenerator(generator))), -0.1467950940132141, 0.7861412763595581, 0.9468216300010681)
}

// torch.fft.fft(torch.tensor([1., 2., 3., 4.]))
func TestComplexResults(t *testing.T) {
	spectrum := value[*mt.Tensor](t)(floats(t, []float32{1, 2, 3, 4}).FftFft())
	numbers := value[[]complex64](t)(mt.Slice[complex64](spectrum))
	for i, want := range []complex64{10, -2 + 2i, -2, -2 - 2i} {
		if numbers[i] != want {
			t.Errorf("%v, want %v", numbers[i], want)
		}
	}
}
