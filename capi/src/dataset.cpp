// The C functions of datasets in shards.
#include "io/mds.h"
#include "io/mds_writer.h"

#include "convert.h"
#include "structs.h"

namespace mt::capi {
template <>
inline constexpr Kind kind_of<io::Dataset> = Kind::dataset;
template <>
inline constexpr Kind kind_of<io::DatasetWriter> = Kind::dataset_writer;
}  // namespace mt::capi

using namespace mt;
using namespace mt::capi;

namespace {

io::Dataset& dataset_of(const mt_dataset* handle) { return object_of<io::Dataset>(handle, "dataset"); }

void store_field(const io::Field& field, mt_value& out) {
  mt_value seen{};
  switch (field.kind) {
    case io::Field::Kind::integer: seen = box(field.integer); break;
    case io::Field::Kind::unsigned_integer:
      seen = box(field.integer);
      if (field.integer < 0) seen.flags |= MT_FLAG_UNSIGNED;
      break;
    case io::Field::Kind::real: seen = box(field.real); break;
    case io::Field::Kind::text: seen = box(Text{field.text.data(), int64_t(field.text.size())}); break;
    case io::Field::Kind::tensor: seen = box(field.tensor); break;
  }
  if (mt_status* status = mt_value_copy(&seen, &out)) rethrow_status(status);
}

io::DatasetWriter& writer_of(const mt_dataset_writer* handle) { return object_of<io::DatasetWriter>(handle, "writer"); }

io::Field field_of(const mt_value& value, int64_t position) {
  io::Field field;
  switch (value.tag) {
    case MT_TAG_BOOL:
    case MT_TAG_INT:
      field.kind = value.flags & MT_FLAG_UNSIGNED ? io::Field::Kind::unsigned_integer : io::Field::Kind::integer;
      field.integer = value.as.i;
      return field;
    case MT_TAG_DOUBLE:
      field.kind = io::Field::Kind::real;
      field.real = value.as.d;
      return field;
    case MT_TAG_STRING:
      check(value.as.string.size >= 0, ErrorKind::value, "value {} of the sample has {} bytes", position, value.as.string.size);
      if (value.as.string.size) require_not_null(value.as.string.data, "string");
      field.text.assign(value.as.string.size ? value.as.string.data : "", size_t(value.as.string.size));
      return field;
    case MT_TAG_TENSOR:
      field.kind = io::Field::Kind::tensor;
      field.tensor = tensor_of(value.as.tensor);
      return field;
    default: fail(ErrorKind::type, "value {} of the sample has the tag {}, which no column takes", position, value.tag);
  }
}

// The default size of a shard in bytes, as in MosaicML's writer.
constexpr int64_t usual_shard = 1 << 26;

}  // namespace

mt_status* mt_dataset_open(const char* path, mt_dataset** out) {
  return guard([&] {
    require_not_null(path, "path");
    require_not_null(out, "out");
    *out = reinterpret_cast<mt_dataset*>(new io::Dataset(path));
  });
}
void mt_dataset_retain(mt_dataset* dataset) { retain(dataset); }
void mt_dataset_release(mt_dataset* dataset) { release<io::Dataset>(dataset); }

mt_status* mt_dataset_get_info(const mt_dataset* dataset, mt_dataset_info* out) {
  return guard([&] {
    const io::Dataset& seen = dataset_of(dataset);
    mt_dataset_info info{};
    info.n_samples = seen.size();
    info.n_columns = int64_t(seen.columns().size());
    info.n_shards = int64_t(seen.shard_starts().size()) - 1;
    write_struct(out, "out", info);
  });
}
mt_status* mt_dataset_column(const mt_dataset* dataset, int64_t index, const char** name, const char** encoding) {
  return guard([&] {
    const auto& columns = dataset_of(dataset).columns();
    require_not_null(name, "name");
    require_not_null(encoding, "encoding");
    check(index >= 0 && size_t(index) < columns.size(), ErrorKind::index, "there is no column {} among {}", index,
          uint64_t(columns.size()));
    *name = columns[size_t(index)].name.c_str();
    *encoding = columns[size_t(index)].encoding.c_str();
  });
}
mt_status* mt_dataset_read(mt_dataset* dataset, int64_t index, mt_value* values, int64_t capacity) {
  return guard([&] {
    io::Dataset& seen = dataset_of(dataset);
    check(capacity >= int64_t(seen.columns().size()), ErrorKind::value, "a sample has {} values, but there is room for {}",
          uint64_t(seen.columns().size()), capacity);
    if (capacity) require_not_null(values, "values");
    const std::vector<io::Field> fields = seen.read(index);
    size_t written = 0;
    try {
      for (; written < fields.size(); ++written) store_field(fields[written], values[written]);
    } catch (...) {
      while (written > 0) mt_value_clear(&values[--written]);
      throw;
    }
  });
}
mt_status* mt_dataset_shard_start(const mt_dataset* dataset, int64_t shard, int64_t* out) {
  return guard([&] {
    const auto& starts = dataset_of(dataset).shard_starts();
    require_not_null(out, "out");
    check(shard >= 0 && size_t(shard) < starts.size(), ErrorKind::index, "there is no shard {} among {}", shard,
          uint64_t(starts.size() - 1));
    *out = starts[size_t(shard)];
  });
}
mt_status* mt_dataset_shuffle(const mt_dataset* dataset, uint64_t seed, int64_t block, int64_t* out) {
  return guard([&] {
    const io::Dataset& seen = dataset_of(dataset);
    if (seen.size()) require_not_null(out, "out");
    const std::vector<int64_t> order = io::shuffle_within_blocks(seen.shard_starts(), seed, block);
    std::copy(order.begin(), order.end(), out);
  });
}

mt_status* mt_dataset_writer_create(const char* path, const char* const* columns, int64_t n_columns,
                                    const mt_dataset_writer_options* options, mt_dataset_writer** out) {
  return guard([&] {
    require_not_null(path, "path");
    require_not_null(out, "out");
    check(n_columns >= 0, ErrorKind::value, "n_columns must not be negative, got {}", n_columns);
    if (n_columns) require_not_null(columns, "columns");
    const mt_dataset_writer_options wanted = options ? read_struct(options, "options") : mt_dataset_writer_options{};
    std::vector<std::pair<std::string, std::string>> pairs;
    for (int64_t i = 0; i < n_columns; ++i) {
      require_not_null(columns[2 * i], "columns");
      require_not_null(columns[2 * i + 1], "columns");
      pairs.emplace_back(columns[2 * i], columns[2 * i + 1]);
    }
    io::DatasetOptions made;
    if (wanted.compression) made.compression = wanted.compression;
    if (wanted.size_limit != -1) made.size_limit = wanted.size_limit ? wanted.size_limit : usual_shard;
    made.synced = !wanted.without_sync;
    ensure_registry();
    *out = reinterpret_cast<mt_dataset_writer*>(new io::DatasetWriter(path, pairs, std::move(made)));
  });
}
void mt_dataset_writer_retain(mt_dataset_writer* writer) { retain(writer); }
void mt_dataset_writer_release(mt_dataset_writer* writer) { release<io::DatasetWriter>(writer); }

mt_status* mt_dataset_writer_write(mt_dataset_writer* writer, const mt_value* values, int64_t n_values) {
  return guard([&] {
    io::DatasetWriter& into = writer_of(writer);
    check(n_values >= 0, ErrorKind::value, "n_values must not be negative, got {}", n_values);
    if (n_values) require_not_null(values, "values");
    std::vector<io::Field> fields;
    for (int64_t i = 0; i < n_values; ++i) fields.push_back(field_of(values[i], i));
    into.write(fields);
  });
}
mt_status* mt_dataset_writer_finish(mt_dataset_writer* writer) {
  return guard([&] { writer_of(writer).finish(); });
}
