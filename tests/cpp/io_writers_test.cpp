// Writers through the C ABI: datasets, NumPy's files, compressed checkpoints and archives with a caller's pickle.
#include "io_support.h"

using namespace io_test;

namespace {

mt_value integer(int64_t value) {
  mt_value out{};
  out.tag = MT_TAG_INT;
  out.as.i = value;
  return out;
}
mt_value text(const char* value) {
  mt_value out{};
  out.tag = MT_TAG_STRING;
  out.as.string = {value, int64_t(std::string(value).size())};
  return out;
}

class Writer {
 public:
  Writer(const std::string& path, const std::vector<const char*>& columns, const char* compression = nullptr, int64_t limit = 0) {
    mt_dataset_writer_options options{};
    options.struct_size = sizeof options;
    options.compression = compression;
    options.size_limit = limit;
    error = failure(mt_dataset_writer_create(path.c_str(), columns.data(), int64_t(columns.size() / 2), &options, &handle_));
  }
  ~Writer() { mt_dataset_writer_release(handle_); }
  Writer(const Writer&) = delete;
  operator mt_dataset_writer*() const { return handle_; }
  std::string write(const std::vector<mt_value>& values) {
    return failure(mt_dataset_writer_write(handle_, values.data(), int64_t(values.size())));
  }
  std::string error;

 private:
  mt_dataset_writer* handle_ = nullptr;
};

mt_save_options saving(int32_t format, int32_t level = 0) {
  mt_save_options options{};
  options.struct_size = sizeof options;
  options.format = format;
  options.level = level;
  return options;
}

TEST(Writers, DatasetIsReadBackInItsOrderFromSeveralShards) {
  for (const char* compression : {static_cast<const char*>(nullptr), "zstd", "zstd:19"}) {
    const Folder folder;
    const std::string path = folder / "made";
    {
      Writer writer(path, {"text", "str", "number", "int"}, compression, 700);
      ASSERT_EQ(writer.error, "");
      for (int64_t i = 0; i < 50; ++i) ASSERT_EQ(writer.write({text("abc"), integer(-i)}), "");
      ASSERT_OK(mt_dataset_writer_finish(writer));
      EXPECT_NE(writer.write({text("abc"), integer(0)}), "");
    }
    mt_dataset* dataset = nullptr;
    ASSERT_OK(mt_dataset_open(path.c_str(), &dataset));
    mt_dataset_info info{};
    info.struct_size = sizeof info;
    ASSERT_OK(mt_dataset_get_info(dataset, &info));
    EXPECT_EQ(info.n_samples, 50);
    EXPECT_GT(info.n_shards, 1);
    for (int64_t i = 0; i < 50; ++i) {
      mt_value values[2];  // sorted by name
      ASSERT_OK(mt_dataset_read(dataset, i, values, 2));
      EXPECT_EQ(values[0].as.i, -i);
      EXPECT_EQ(std::string(values[1].as.string.data, size_t(values[1].as.string.size)), "abc");
      for (mt_value& value : values) mt_value_clear(&value);
    }
    mt_dataset_release(dataset);
  }
}

TEST(Writers, RefusedSampleLeavesTheDatasetAsItWas) {
  const Folder folder;
  Writer writer(folder / "made", {"a", "uint16", "b", "float16"});
  EXPECT_NE(writer.write({integer(65536), integer(0)}).find("got 65536, which its 2 bytes cannot hold"), std::string::npos);
  EXPECT_NE(writer.write({integer(1)}).find("a sample needs 2 values, got 1"), std::string::npos);
  EXPECT_NE(writer.write({integer(1), text("x")}).find("column \"b\" takes numbers"), std::string::npos);
  mt_value half{};
  half.tag = MT_TAG_DOUBLE;
  half.as.d = 1 + 0x1p-11 + 0x1p-40;  // just above the middle of two halves; a float in between would lose the difference
  EXPECT_EQ(writer.write({integer(1), half}), "");
  ASSERT_OK(mt_dataset_writer_finish(writer));
  mt_dataset* dataset = nullptr;
  ASSERT_OK(mt_dataset_open((folder / "made").c_str(), &dataset));
  mt_value values[2];
  ASSERT_OK(mt_dataset_read(dataset, 0, values, 2));
  EXPECT_EQ(values[1].as.d, 1 + 0x1p-10);  // numpy.float16(1 + 2**-11 + 2**-40)
  EXPECT_NE(failure(mt_dataset_read(dataset, 1, values, 2)), "");
  mt_dataset_release(dataset);
}

TEST(Writers, FolderWithFilesAndWrongHandlesAreRefused) {
  const Folder folder;
  write_file(folder / "notes", "keep");
  EXPECT_NE(Writer(folder / "", {"a", "int"}).error.find("has files; a dataset needs one of its own"), std::string::npos);
  EXPECT_NE(Writer(folder / "notes", {"a", "int"}).error.find("unable to make the folder"), std::string::npos);
  EXPECT_NE(Writer(folder / "made", {"a", "int", "a", "str"}).error.find("two columns have the name \"a\""), std::string::npos);
  EXPECT_EQ(read_file(folder / "notes"), "keep");
  EXPECT_NE(failure(mt_dataset_writer_finish(nullptr)), "");
  Dict dict;
  EXPECT_NE(failure(mt_dataset_writer_finish(reinterpret_cast<mt_dataset_writer*>(static_cast<mt_tensor_dict*>(dict)))), "");
}

TEST(Writers, EveryFormatIsReadBack) {
  const Folder folder;
  Dict dict;
  dict.set("x", floats({1, 2, 3, 4, 5, 6}, {2, 3}));
  for (const int32_t format : {MT_FORMAT_NPY, MT_FORMAT_NPZ, MT_FORMAT_COMPRESSED}) {
    const std::string path = folder / ("f" + std::to_string(format));
    const mt_save_options options = saving(format);
    ASSERT_OK(mt_checkpoint_save(path.c_str(), dict, &options));
    const Checkpoint file(path);
    ASSERT_EQ(file.error, "");
    EXPECT_EQ(file.info().format, format);
    EXPECT_EQ(elements_of(file.read(format == MT_FORMAT_NPY ? "" : "x")), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  }
  for (const int32_t format : {int32_t(MT_FORMAT_GGUF), int32_t(MT_FORMAT_TORCH_LEGACY), int32_t(99), int32_t(-1)}) {
    const mt_save_options options = saving(format);
    EXPECT_NE(failure(mt_checkpoint_save((folder / "no").c_str(), dict, &options)).find("is not a format to save in"), std::string::npos);
  }
  EXPECT_EQ(folder.count(), 3u);
}

TEST(Writers, ArchiveWithACallersPickleHoldsItsStorages) {
  const Folder folder;
  const std::string path = folder / "a.pt";
  Dict dict;
  dict.set("x", floats({1, 2, 3}));
  const mt_save_options options = saving(MT_FORMAT_TORCH);
  ASSERT_OK(mt_checkpoint_save(path.c_str(), dict, &options));
  const std::string whole = read_file(path);
  // The pickle is the first record, and its data is aligned to 64 bytes.
  const size_t begin = whole.find("\x80\x02}q"), end = whole.find("PK\x07\x08");
  ASSERT_NE(begin, std::string::npos);
  mt_storage* storage = nullptr;
  const Owned tensor = floats({1, 2, 3});
  ASSERT_OK(mt_tensor_storage(tensor, &storage));
  ASSERT_OK(mt_checkpoint_save_pickle(path.c_str(), whole.data() + begin, int64_t(end - begin), &storage, 1, nullptr));
  EXPECT_EQ(read_file(path), whole);
  const mt_save_options wrong = saving(MT_FORMAT_NPY);
  EXPECT_NE(failure(mt_checkpoint_save_pickle(path.c_str(), "", 0, &storage, 1, &wrong)), "");
  EXPECT_NE(failure(mt_checkpoint_save_pickle(path.c_str(), "", 0, nullptr, 1, nullptr)), "");
  mt_storage_release(storage);
  EXPECT_EQ(read_file(path), whole);
}

}  // namespace
