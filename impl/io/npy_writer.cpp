// Writes NumPy's arrays with the bytes that NumPy writes.
#include "io/npy_writer.h"

#include <algorithm>

#include "io/numpy_types.h"
#include "io/zip.h"

namespace mt::io {

namespace {

void check_representable(const std::string& name, const Tensor& tensor) {
  check_dense(name, tensor);
  check(!numpy_code(tensor.dtype()).empty(), ErrorKind::value, "NumPy has no type for torch.{}, which tensor \"{}\" has",
        mt::name_of(tensor.dtype()), escape_for_message(name));
}

// Makes an array's header: magic string, version, length, and a dict of Python literals, padded so that elements are aligned.
std::string header_of(const Tensor& tensor) {
  constexpr size_t alignment = 64, before = 10;
  constexpr size_t digits = 21;  // NumPy leaves room to append along the first dimension
  std::string shape = "(";
  for (int64_t d = 0; d < tensor.dim(); ++d) shape += (d ? ", " : "") + std::to_string(tensor.size(d));
  shape += tensor.dim() == 1 ? ",)" : ")";
  std::string text = "{'descr': '" + numpy_code(tensor.dtype()) + "', 'fortran_order': False, 'shape': " + shape + ", }";
  if (tensor.dim() > 0) text.append(digits - std::to_string(tensor.size(0)).size(), ' ');
  text.append((alignment - (before + text.size() + 1) % alignment) % alignment, ' ');
  text += '\n';
  const auto length = uint16_t(text.size());  // at most 64 sizes of 19 digits
  return std::string("\x93NUMPY\x01\x00", 8) + std::string(reinterpret_cast<const char*>(&length), 2) + text;
}

Bytes elements_of(const Tensor& plain) { return {static_cast<const uint8_t*>(plain.data()), size_t(plain.numel() * plain.itemsize())}; }

}  // namespace

void write_npy(NewFile& file, const TensorDict& tensors, const Progress& progress) {
  check(tensors.items().size() == 1, ErrorKind::value, "a .npy file holds one array, and the dict has {}",
        uint64_t(tensors.items().size()));
  const auto& [name, tensor] = tensors.items()[0];
  check_representable(name, tensor);
  const Tensor plain = copy_to_contiguous_host(tensor);
  const std::string header = header_of(plain);
  file.expect_total(int64_t(header.size()) + plain.numel() * plain.itemsize(), progress);
  file.write(header);
  file.write(elements_of(plain));
}

void write_npz(NewFile& file, const TensorDict& tensors, const Progress& progress) {
  int64_t total = 0;
  for (const auto& [name, tensor] : tensors.items()) {
    check(is_utf8(name) && !name.empty(), ErrorKind::value, "an array in a .npz file cannot have the name \"{}\"",
          escape_for_message(name));
    check_representable(name, tensor);
    total += tensor.numel() * tensor.itemsize();
  }
  file.expect_total(total, progress);
  ZipWriter zip(file, "");
  for (const auto& [name, tensor] : tensors.items()) {
    const Tensor plain = copy_to_contiguous_host(tensor);
    zip.write(name + ".npy", {bytes_of(header_of(plain)), elements_of(plain)});
  }
  zip.finish_with_directory();
}

}  // namespace mt::io
