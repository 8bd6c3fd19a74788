package tests

import (
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"testing"

	mt "mindtorch.org/mindtorch"
)

// The file is what ../torch_checkpoint.py writes with real torch.
func torchFile(t *testing.T) string {
	path := os.Getenv("MINDTORCH_TORCH_CHECKPOINT")
	if path == "" {
		t.Skip("no real torch: MINDTORCH_TORCH_CHECKPOINT is not set")
	}
	return path
}

func TestACheckpointOfRealTorchIsRead(t *testing.T) {
	checkpoint := value[*mt.Checkpoint](t)(mt.OpenCheckpoint(torchFile(t)))
	defer checkpoint.Close()
	if checkpoint.Format() != mt.Torch {
		t.Error(checkpoint.Format())
	}
	names := value[[]string](t)(checkpoint.Names())
	if len(names) != 3 || names[0] != "model.weight" || names[1] != "model.bias" || names[2] != "half" {
		t.Error(names)
	}
	entry := value[mt.Entry](t)(checkpoint.Entry(0))
	wantInts(t, entry.Shape, 2, 3)
	if entry.DType != mt.Float32 || entry.Bytes != 24 {
		t.Error(entry)
	}
	wantElements(t, value[*mt.Tensor](t)(checkpoint.Get("model.weight")), 0, 1, 2, 3, 4, 5)
	half := value[*mt.Tensor](t)(checkpoint.Get("half"))
	if half.DType() != mt.BFloat16 {
		t.Error(half.DType())
	}
	wantElements(t, half, 1.5, -2)
	_, err := checkpoint.Get("absent")
	wantError(t, err, "KeyError", "the checkpoint has no tensor named 'absent'")
	if _, err := checkpoint.At(3); !errors.Is(err, mt.IndexError) {
		t.Error(err)
	}
}

func TestTheObjectOfACheckpointHasGoTypes(t *testing.T) {
	checkpoint := value[*mt.Checkpoint](t)(mt.OpenCheckpoint(torchFile(t)))
	defer checkpoint.Close()
	pairs := value[any](t)(checkpoint.Object()).([]mt.Pair)
	object := map[any]any{}
	for _, pair := range pairs {
		object[pair.Key] = pair.Value
	}
	if object["epoch"] != 7 || object["rate"] != 0.5 || object["name"] != "network" || object["none"] != nil {
		t.Error(object)
	}
	if big := object["big"].(*big.Int); big.String() != "-1267650600228229401496703205376" { // -(2 ** 100)
		t.Error(big)
	}
	if list := object["list"].([]any); len(list) != 2 || list[0] != true || list[1] != mt.Float64 {
		t.Error(list)
	}
	wantElements(t, object["half"].(*mt.Tensor), 1.5, -2)
}

func TestSavedTensorsComeBack(t *testing.T) {
	for name, format := range map[string]mt.Format{"a.safetensors": mt.Safetensors, "a.pt": mt.Torch} {
		path := filepath.Join(t.TempDir(), name)
		tensors := map[string]*mt.Tensor{
			"x": floats(t, []float32{1, 2, 3, 4}, 2, 2), "n": value[*mt.Tensor](t)(mt.FromSlice([]int{5})),
		}
		var calls int
		options := mt.SaveOptions{Format: format, Progress: func(done, total int64) error { calls++; return nil }}
		if format == mt.Safetensors {
			options.Metadata = map[string]string{"author": "go"}
		}
		if err := mt.Save(path, tensors, options); err != nil {
			t.Fatal(err)
		}
		if calls == 0 {
			t.Error("no progress was reported")
		}
		loaded := value[map[string]*mt.Tensor](t)(mt.Load(path))
		if len(loaded) != 2 || loaded["n"].DType() != mt.Int64 {
			t.Error(loaded)
		}
		wantElements(t, loaded["x"], 1, 2, 3, 4)
		wantInts(t, loaded["x"].Shape(), 2, 2)
		if format == mt.Safetensors {
			checkpoint := value[*mt.Checkpoint](t)(mt.OpenCheckpoint(path))
			if metadata := value[map[string]string](t)(checkpoint.Metadata()); metadata["author"] != "go" {
				t.Error(metadata)
			}
		}
	}
}

func TestAnErrorOfTheProgressEndsASaveAndKeepsTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.safetensors")
	if err := mt.Save(path, map[string]*mt.Tensor{"x": floats(t, []float32{1})}); err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stop")
	err := mt.Save(path, map[string]*mt.Tensor{"x": floats(t, []float32{2})}, mt.SaveOptions{Progress: func(done, total int64) error { return stop }})
	if !errors.Is(err, stop) {
		t.Error(err)
	}
	wantElements(t, value[map[string]*mt.Tensor](t)(mt.Load(path))["x"], 1)
}

func TestFilesThatAreNoCheckpointsAreErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.pt")
	if err := os.WriteFile(path, []byte("not a checkpoint"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := mt.OpenCheckpoint(path); !errors.Is(err, mt.RuntimeError) {
		t.Error(err)
	}
	if _, err := mt.Load(path + ".absent"); !errors.Is(err, mt.RuntimeError) {
		t.Error(err)
	}
}
