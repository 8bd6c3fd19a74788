// An extension over LibTorch's stable ABI that uses most of it. It is compiled against torch's own headers and against ours, and runs on
// real torch and on mindtorch: results and texts must be equal (test_stable_abi.py).
#include <torch/csrc/stable/accelerator.h>
#include <torch/csrc/stable/device.h>
#include <torch/csrc/stable/generator.h>
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace {

using torch::headeronly::DeviceType;
using torch::headeronly::Layout;
using torch::headeronly::MemoryFormat;
using torch::headeronly::ScalarType;
using torch::stable::Device;
using torch::stable::Generator;
using torch::stable::Tensor;

// ---- every kind of argument and result ------------------------------------------------------------------------------------------

int64_t count(const Tensor& self) { return self.numel(); }
double halved(double x) { return x / 2; }
bool negated(bool on) { return !on; }
std::string doubled(std::string text) { return text + text; }
std::vector<int64_t> reversed(std::vector<int64_t> items) { return {items.rbegin(), items.rend()}; }
double sum_of(std::vector<double> items) {
  double sum = 0;
  for (double item : items) sum += item;
  return sum;
}
std::optional<int64_t> next_of(std::optional<int64_t> number) { return number ? std::optional<int64_t>(*number + 1) : std::nullopt; }
std::optional<std::vector<int64_t>> optional_list(std::optional<std::vector<int64_t>> items) { return items; }
std::vector<Tensor> swapped(std::vector<Tensor> pair) { return {pair.at(1), pair.at(0)}; }
int64_t how_many(std::vector<std::optional<Tensor>> tensors) {
  int64_t there = 0;
  for (const auto& tensor : tensors) there += tensor.has_value();
  return there;
}
std::tuple<Tensor, int64_t, double> three(Tensor self, int64_t i, double d) { return {self, i + 1, d + 0.5}; }
Tensor undefined() { return Tensor(); }
bool is_undefined(std::optional<Tensor> tensor) { return !tensor || !tensor->defined(); }
Tensor as_dtype(Tensor self, ScalarType dtype) { return torch::stable::to(self, dtype); }
Tensor made(std::vector<int64_t> size, std::optional<ScalarType> dtype, std::optional<Layout> layout, std::optional<Device> device) {
  return torch::stable::full(size, 7, dtype, layout, device);
}
Tensor arranged(Tensor self, MemoryFormat format) { return torch::stable::contiguous(self, format); }
std::string device_of(Tensor self, Device device) {
  return std::string(self.device() == Device(DeviceType::CPU) ? "cpu" : "other") + (device.is_cpu() ? " cpu" : " other");
}
bool has_generator(std::optional<Generator> generator) { return generator && generator->device().is_cpu(); }

// ---- calls of operators ---------------------------------------------------------------------------------------------------------

Tensor operators(Tensor self) {
  Tensor cut = torch::stable::narrow(self, 0, 0, 2);
  Tensor zeros = torch::stable::new_zeros(cut, {2, 2}, ScalarType::Double);
  torch::stable::fill_(zeros, 2.5);
  Tensor difference = torch::stable::subtract(zeros, torch::stable::to(cut, ScalarType::Double), 2.0);
  Tensor sums = torch::stable::sum(difference, std::vector<int64_t>{1}, true);
  Tensor top = torch::stable::amax(torch::stable::transpose(torch::stable::clone(sums), 0, 1), 1);
  Tensor like = torch::stable::empty_like(top);
  return torch::stable::copy_(like, torch::stable::squeeze(torch::stable::unsqueeze(top, 0), 0));
}
Tensor shape_of(Tensor self) {
  Tensor shape = torch::stable::empty({self.dim() * 2}, ScalarType::Long);
  auto* out = shape.mutable_data_ptr<int64_t>();
  for (int64_t d = 0; d < self.dim(); ++d) {
    out[d] = self.size(d);
    out[self.dim() + d] = self.stride(d - self.dim());
  }
  return shape;
}
Tensor squares(Tensor self) {
  STD_TORCH_CHECK(self.scalar_type() == ScalarType::Float, "squares: expected float32");
  Tensor result = torch::stable::new_empty(self, self.sizes());
  const float* in = self.const_data_ptr<float>();
  float* out = result.mutable_data_ptr<float>();
  torch::stable::parallel_for(0, self.numel(), 16, [&](int64_t begin, int64_t end) {
    STD_TORCH_CHECK(torch::stable::get_num_threads() > 0, "no threads");
    for (int64_t i = begin; i < end; ++i) out[i] = in[i] * in[i];
  });
  return result;
}
int deleted = 0;
Tensor borrowed() {
  static float numbers[] = {1, 2, 3, 4, 5, 6};
  return torch::stable::from_blob(numbers, {2, 2}, {3, 1}, Device(DeviceType::CPU), ScalarType::Float, [](void*) { ++deleted; }, 1);
}
int64_t deletions() { return deleted; }

// ---- errors ---------------------------------------------------------------------------------------------------------------------

Tensor narrow_too_far(Tensor self) { return torch::stable::narrow(self, 0, 5, 100); }
Tensor refuse(Tensor self) {
  STD_TORCH_CHECK(false, "refused: ", self.dim(), " dimensions");
  return self;
}
Tensor warned(Tensor self) {
  aoti_torch_warn("warned", "folder/probe.cpp", 12, "take care");
  return self;
}
Tensor wrong_type(Tensor self) {
  self.const_data_ptr<int64_t>();
  return self;
}
Tensor fail_in_parallel(Tensor self) {
  torch::stable::parallel_for(0, 100, 1, [](int64_t, int64_t) { STD_TORCH_CHECK(false, "a piece failed"); });
  return self;
}
Device bad_device(std::string text) { return Device(text); }

// The error text of the thread's last failure, after a call that fails; "" if it did not.
std::string text_of(AOTITorchError code) { return code ? torch_exception_get_what_without_backtrace() : ""; }
std::string said(int64_t which) {
  TorchLibraryHandle library = nullptr;
  StableIValue stack[8] = {};
  AtenTensorHandle tensor = nullptr;
  StableListHandle list = nullptr;
  int64_t number = 0;
  const int64_t sizes[] = {2, 3}, strides[] = {3, 1};
  switch (which) {
    case 0: return text_of(aoti_torch_library_init_def("extension_probe", "again.cpp", 7, &library));
    case 1: return text_of(aoti_torch_library_init_impl("extension_probe", "NoSuchKey", "again.cpp", 7, &library));
    case 2: return text_of(aoti_torch_library_init_fragment("_", "again.cpp", 9, &library));
    case 3: return text_of(torch_call_dispatcher("extension_probe::nothing", "", stack, TORCH_ABI_VERSION));
    case 4: return text_of(torch_call_dispatcher("aten::add", "Nothing", stack, TORCH_ABI_VERSION));
    case 5:
      aoti_torch_empty_strided(2, sizes, strides, aoti_torch_dtype_float32(), aoti_torch_device_type_cpu(), 0, &tensor);
      return text_of(aoti_torch_get_size(Tensor(tensor).get(), 5, &number));
    case 6:
      torch_new_list_reserve_size(4, &list);
      {
        const std::string text = text_of(torch_list_get_item(list, 3, stack));
        return text + text_of(torch_delete_list(list));
      }
    case 7: return text_of(aoti_torch_get_current_device_index(reinterpret_cast<int32_t*>(stack)));
    case 8: {
      void* data = nullptr;
      return text_of(aoti_torch_get_data_ptr(Tensor().get(), &data));
    }
    default: {
      aoti_torch_library_init_fragment("extension_probe", "again.cpp", 11, &library);
      std::string text;
      if (which == 9) text = text_of(aoti_torch_library_def(library, "count(Tensor self) -> int"));
      if (which == 10) text = text_of(aoti_torch_library_def(library, "other_space::count(Tensor self) -> int"));
      aoti_torch_delete_library_object(library);
      return text;
    }
  }
}

// A library that the program removes: its operator exists as long as the library, and may be defined again.
std::string come_and_go(int64_t round) {
  TorchLibraryHandle library = nullptr;
  std::string text = text_of(aoti_torch_library_init_def("extension_passing", "go.cpp", 1, &library));
  text += text_of(torch_library_impl(library, "later", TORCH_BOX(&halved), TORCH_ABI_VERSION));
  text += text_of(aoti_torch_library_def(library, round ? "later(float y) -> float" : "later(float x) -> float"));
  StableIValue stack[1] = {torch::stable::detail::from(5.0)};
  text += text_of(torch_call_dispatcher("extension_passing::later", "", stack, TORCH_ABI_VERSION));
  text += torch::stable::detail::to<double>(stack[0]) == 2.5 ? "2.5 " : "wrong ";
  text += text_of(aoti_torch_delete_library_object(library));
  return text + text_of(torch_call_dispatcher("extension_passing::later", "", stack, TORCH_ABI_VERSION));
}

std::vector<int64_t> constants() {
  return {aoti_torch_dtype_float8_e4m3fn(),
          torch_dtype_float8_e8m0fnu(),
          torch_dtype_float4_e2m1fn_x2(),
          aoti_torch_dtype_uint16(),
          aoti_torch_layout_jagged(),
          aoti_torch_layout__mkldnn(),
          aoti_torch_memory_format_preserve_format(),
          torch_tag_core(),
          torch_tag_pointwise(),
          torch_tag_view_copy(),
          aoti_torch_device_type_privateuse1(),
          aoti_torch_device_type_mps(),
          int64_t(aoti_torch_dtype_element_size(aoti_torch_dtype_complex64())),
          int64_t(aoti_torch_abi_version())};
}

}  // namespace

STABLE_TORCH_LIBRARY(extension_probe, m) {
  m.def("count(Tensor self) -> int");
  m.def("halved(float x) -> float");
  m.def("negated(bool on) -> bool");
  m.def("doubled(str text) -> str");
  m.def("reversed(int[] items) -> int[]");
  m.def("sum_of(float[] items) -> float");
  m.def("next_of(int? number) -> int?");
  m.def("optional_list(int[]? items) -> int[]?");
  m.def("swapped(Tensor[] pair) -> Tensor[]");
  m.def("how_many(Tensor?[] tensors) -> int");
  m.def("three(Tensor self, int i, float d=1.5) -> (Tensor, int, float)");
  m.def("undefined() -> Tensor");
  m.def("is_undefined(Tensor? tensor) -> bool");
  m.def("as_dtype(Tensor self, ScalarType dtype) -> Tensor");
  m.def("made(SymInt[] size, ScalarType? dtype=None, Layout? layout=None, Device? device=None) -> Tensor");
  m.def("arranged(Tensor self, MemoryFormat format) -> Tensor");
  m.def("device_of(Tensor self, Device device) -> str");
  m.def("has_generator(Generator? generator) -> bool");
  m.def("operators(Tensor self) -> Tensor");
  m.def("shape_of(Tensor self) -> Tensor");
  m.def("borrowed() -> Tensor");
  m.def("deletions() -> int");
  m.def("narrow_too_far(Tensor self) -> Tensor");
  m.def("refuse(Tensor self) -> Tensor");
  m.def("wrong_type(Tensor self) -> Tensor");
  m.def("fail_in_parallel(Tensor self) -> Tensor");
  m.def("bad_device(str text) -> Device");
  m.def("said(int which) -> str");
  m.def("warned(Tensor self) -> Tensor");
  m.def("come_and_go(int round) -> str");
  m.def("constants() -> int[]");
  m.def("without_kernel(Tensor self) -> Tensor");
  m.def("number(Scalar number, Tensor self) -> Tensor");
}
// Kernels may be registered before their operator.
STABLE_TORCH_LIBRARY_IMPL(extension_probe, CPU, m) {
  m.impl("squares", TORCH_BOX(&squares));
  m.impl("number", TORCH_BOX(&squares));
}
STABLE_TORCH_LIBRARY_FRAGMENT(extension_probe, m) { m.def("squares(Tensor self) -> Tensor", {at::Tag::pointwise, at::Tag::core}); }
STABLE_TORCH_LIBRARY_IMPL(extension_probe, CUDA, m) { m.impl("squares", TORCH_BOX(&squares)); }
STABLE_TORCH_LIBRARY_IMPL(extension_probe, CompositeExplicitAutograd, m) {
  m.impl("count", TORCH_BOX(&count));
  m.impl("halved", TORCH_BOX(&halved));
  m.impl("negated", TORCH_BOX(&negated));
  m.impl("doubled", TORCH_BOX(&doubled));
  m.impl("reversed", TORCH_BOX(&reversed));
  m.impl("sum_of", TORCH_BOX(&sum_of));
  m.impl("next_of", TORCH_BOX(&next_of));
  m.impl("optional_list", TORCH_BOX(&optional_list));
  m.impl("swapped", TORCH_BOX(&swapped));
  m.impl("how_many", TORCH_BOX(&how_many));
  m.impl("three", TORCH_BOX(&three));
  m.impl("undefined", TORCH_BOX(&undefined));
  m.impl("is_undefined", TORCH_BOX(&is_undefined));
  m.impl("as_dtype", TORCH_BOX(&as_dtype));
  m.impl("made", TORCH_BOX(&made));
  m.impl("arranged", TORCH_BOX(&arranged));
  m.impl("device_of", TORCH_BOX(&device_of));
  m.impl("has_generator", TORCH_BOX(&has_generator));
  m.impl("operators", TORCH_BOX(&operators));
  m.impl("shape_of", TORCH_BOX(&shape_of));
  m.impl("borrowed", TORCH_BOX(&borrowed));
  m.impl("deletions", TORCH_BOX(&deletions));
  m.impl("narrow_too_far", TORCH_BOX(&narrow_too_far));
  m.impl("refuse", TORCH_BOX(&refuse));
  m.impl("wrong_type", TORCH_BOX(&wrong_type));
  m.impl("fail_in_parallel", TORCH_BOX(&fail_in_parallel));
  m.impl("bad_device", TORCH_BOX(&bad_device));
  m.impl("said", TORCH_BOX(&said));
  m.impl("warned", TORCH_BOX(&warned));
  m.impl("come_and_go", TORCH_BOX(&come_and_go));
  m.impl("constants", TORCH_BOX(&constants));
}
