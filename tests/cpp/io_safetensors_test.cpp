// safetensors through the C ABI: written files are read back, and invalid files are refused with a reason.
#include <sys/stat.h>

#include "io_support.h"

using namespace io_test;

namespace {

std::string safetensors(const std::string& header, const std::string& data = "") { return little(uint64_t(header.size())) + header + data; }

// "" if the file opens, else the error.
std::string opening(const std::string& bytes) {
  const Folder folder;
  const std::string path = folder / "f.safetensors";
  write_file(path, bytes);
  std::string error = Checkpoint(path).error;
  const size_t at = error.find('<' + path + '>');
  return at == std::string::npos ? error : error.replace(at, path.size() + 2, "<f>");
}

TEST(Safetensors, NamesSizesAndElementsRoundTrip) {
  const Folder folder;
  const std::string path = folder / "model.safetensors";
  Dict dict;
  dict.set("b", floats({1, 2, 3, 4, 5, 6}, {2, 3}));
  dict.set("a", floats({7}, {}));
  dict.set("empty", floats({}, {0, 4}));
  ASSERT_OK(mt_checkpoint_save(path.c_str(), dict, nullptr));
  for (const int32_t access : {MT_READ_MAP, MT_READ_COPY}) {
    const Checkpoint file(path, access);
    ASSERT_EQ(file.error, "");
    EXPECT_EQ(file.info().format, MT_FORMAT_SAFETENSORS);
    ASSERT_EQ(file.info().n_tensors, 3);
    const mt_checkpoint_entry first = file.entry(0);  // sorted by name
    EXPECT_STREQ(first.name, "a");
    EXPECT_EQ(first.ndim, 0);
    EXPECT_EQ(first.nbytes, 4);
    EXPECT_EQ(elements_of(file.read("b")), (std::vector<float>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(info_of(file.read("b")).sizes[1], 3);
    EXPECT_EQ(info_of(file.read("empty")).numel, 0);
    int64_t index = 0;
    EXPECT_OK(mt_checkpoint_find(file, "c", &index));
    EXPECT_EQ(index, -1);
  }
}

TEST(Safetensors, MappedTensorsOutliveTheHandleAndKeepWritesPrivate) {
  const Folder folder;
  const std::string path = folder / "f";
  Dict dict;
  dict.set("x", floats({1, 2}));
  ASSERT_OK(mt_checkpoint_save(path.c_str(), dict, nullptr));
  Owned x;
  {
    const Checkpoint file(path);
    x = file.read("x");
  }
  void* data = nullptr;
  ASSERT_OK(mt_tensor_data(x, &data));
  static_cast<float*>(data)[0] = 9;
  EXPECT_EQ(elements_of(x), (std::vector<float>{9, 2}));
  EXPECT_EQ(elements_of(Checkpoint(path).read("x")), (std::vector<float>{1, 2}));
}

TEST(Safetensors, MetadataRoundTrips) {
  const Folder folder;
  const std::string path = folder / "f";
  const char* pairs[] = {"format", "pt", "note", "a \"b\"\n\xc3\xa9"};
  mt_save_options options{};
  options.struct_size = sizeof options;
  options.metadata = pairs;
  options.n_metadata = 2;
  ASSERT_OK(mt_checkpoint_save(path.c_str(), Dict(), &options));
  const Checkpoint file(path);
  ASSERT_EQ(file.info().n_metadata, 2);
  const char *key = nullptr, *value = nullptr;
  ASSERT_OK(mt_checkpoint_metadata(file, 1, &key, &value));
  EXPECT_STREQ(key, "note");
  EXPECT_STREQ(value, pairs[3]);
  EXPECT_EQ(failure(mt_checkpoint_metadata(file, 2, &key, &value)), "IndexError: there is no metadata 2 among 2");
}

TEST(Safetensors, WritesTheElementsOfViewsInOrder) {
  const Folder folder;
  const std::string path = folder / "f";
  Owned x = floats({1, 2, 3, 4, 5, 6}, {2, 3});
  Dict dict;
  dict.set("t", call_tensor("t", "", {box(x)}));
  ASSERT_OK(mt_checkpoint_save(path.c_str(), dict, nullptr));
  EXPECT_EQ(elements_of(Checkpoint(path).read("t")), (std::vector<float>{1, 4, 2, 5, 3, 6}));
}

TEST(Safetensors, UnalignedTensorsAreCopied) {
  const Folder folder;
  const std::string path = folder / "f";
  write_file(path,
             safetensors(R"({"b":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"x":{"dtype":"F32","shape":[1],"data_offsets":[1,5]}})",
                         "\x07" + little(1.5f)));
  const Checkpoint file(path);
  ASSERT_EQ(file.error, "");
  EXPECT_EQ(elements_of(file.read("x")), (std::vector<float>{1.5}));
}

TEST(Safetensors, RefusesInvalidFiles) {
  const std::string one = R"("dtype":"F32","shape":[1],"data_offsets":)";
  EXPECT_EQ(opening(""), "RuntimeError: the file <f> is empty");
  EXPECT_EQ(opening("hello, world"), "RuntimeError: the file <f> has no format that is known here; it begins with \"hello, w\"");
  EXPECT_EQ(opening(little(uint64_t(90)) + "{}"), "RuntimeError: safetensors: the header has 90 bytes, and the file <f> has 10");
  EXPECT_EQ(opening(safetensors("{]")), "RuntimeError: safetensors: invalid JSON at byte 1: expected a name in quotes");
  EXPECT_EQ(opening(safetensors(R"({"a":{}})")), "RuntimeError: safetensors: tensor \"a\" has no dtype");
  EXPECT_EQ(opening(safetensors(R"({"a":{"dtype":"F3"}})")),
            "RuntimeError: safetensors: tensor \"a\" has the dtype F3, which is not known here");
  EXPECT_EQ(opening(safetensors("{\"a\":{" + one + "[0,4]}}", "abc")),
            "RuntimeError: safetensors: data_offsets of tensor \"a\" are 0 and 4, outside of the 3 bytes that the file has for elements");
  EXPECT_EQ(opening(safetensors("{\"a\":{" + one + "[0,3]}}", "abc")),
            "RuntimeError: safetensors: tensor \"a\" of shape [1] and dtype Float does not have 3 bytes");
  EXPECT_EQ(opening(safetensors("{\"a\":{" + one + "[1,5]}}", "abcde")),
            "RuntimeError: safetensors: 1 bytes before tensor \"a\" belong to no tensor");
  EXPECT_EQ(opening(safetensors("{\"a\":{" + one + "[0,4]}}", "abcde")),
            "RuntimeError: safetensors: the last 1 bytes of the file belong to no tensor");
  EXPECT_EQ(opening(safetensors("{\"a\":{" + one + "[0,4]},\"b\":{" + one + "[2,6]}}", "abcdef")),
            "RuntimeError: safetensors: tensor \"b\" begins at 2, inside another one");
  EXPECT_EQ(opening(safetensors("{\"a\":{" + one + "[0,4]},\"a\":{" + one + "[4,8]}}", "abcdefgh")),
            "RuntimeError: safetensors: the name \"a\" comes twice in one object");
  EXPECT_EQ(opening(safetensors(R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]}})")),
            "RuntimeError: safetensors: tensor \"a\" of shape [4611686018427387904, 4] and dtype Float does not have 0 bytes");
  EXPECT_EQ(opening(safetensors(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", "abcd")),
            "RuntimeError: safetensors: the shape of tensor \"a\" has to be whole numbers from 0 on");
  EXPECT_EQ(opening(safetensors(R"({"__metadata__":{"a":1}})")), "RuntimeError: safetensors: \"a\" in __metadata__ has to be a string");
  EXPECT_EQ(opening(safetensors(std::string(70, '[').insert(0, "{\"a\":") + "}")),
            "RuntimeError: safetensors: invalid JSON at byte 69: nested too deeply");
}

TEST(Safetensors, EveryShorterFileIsRefused) {
  const std::string whole = safetensors(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", "abcdefgh");
  EXPECT_EQ(opening(whole), "");
  for (size_t length = 0; length < whole.size(); ++length) EXPECT_NE(opening(whole.substr(0, length)), "") << length;
}

TEST(Saving, AFailedSaveLeavesTheOldFile) {
  const Folder folder;
  const std::string path = folder / "f";
  Dict good, bad;
  good.set("x", floats({1, 2}));
  ASSERT_OK(mt_checkpoint_save(path.c_str(), good, nullptr));
  const std::string before = read_file(path);
  bad.set("x", floats(std::vector<float>(100)));
  mt_save_options options{};
  options.struct_size = sizeof options;
  options.progress = [](void*, int64_t done, int64_t) { return done > 100 ? mt_status_create("KeyboardInterrupt", "enough") : nullptr; };
  EXPECT_EQ(failure(mt_checkpoint_save(path.c_str(), bad, &options)), "KeyboardInterrupt: enough");
  EXPECT_EQ(read_file(path), before);
  EXPECT_EQ(folder.count(), 1u);
}

TEST(Saving, ReportsItsProgressUpToTheEnd) {
  struct Heard {
    int64_t calls = 0, last = 0, total = 0;
  } heard;
  const Folder folder;
  const std::string path = folder / "f";
  Dict dict;
  dict.set("x", floats(std::vector<float>(10)));
  mt_save_options options{};
  options.struct_size = sizeof options;
  options.user = &heard;
  options.progress = [](void* user, int64_t done, int64_t total) -> mt_status* {
    auto& h = *static_cast<Heard*>(user);
    EXPECT_GT(done, h.last);
    h = {h.calls + 1, done, total};
    return nullptr;
  };
  ASSERT_OK(mt_checkpoint_save(path.c_str(), dict, &options));
  EXPECT_EQ(heard.last, int64_t(read_file(path).size()));
  EXPECT_EQ(heard.total, heard.last);
}

TEST(Saving, KeepsTheModeAndTheLinkOfAnOldFile) {
  const Folder folder;
  write_file(folder / "real", "old");
  ASSERT_EQ(chmod((folder / "real").c_str(), 0640), 0);
  ASSERT_EQ(symlink("real", (folder / "link").c_str()), 0);
  ASSERT_OK(mt_checkpoint_save((folder / "link").c_str(), Dict(), nullptr));
  struct stat status;
  ASSERT_EQ(lstat((folder / "link").c_str(), &status), 0);
  EXPECT_TRUE(S_ISLNK(status.st_mode));
  ASSERT_EQ(stat((folder / "real").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
  EXPECT_EQ(Checkpoint(folder / "real").error, "");
}

TEST(Saving, ReportsWhyAFileCannotBeCreated) {
  const Folder folder;
  const auto saving = [&](const std::string& path) { return failure(mt_checkpoint_save(path.c_str(), Dict(), nullptr)); };
  EXPECT_EQ(saving(folder / "none/f"),
            "RuntimeError: unable to open the folder of file <" + folder / "none/f" + ">: No such file or directory (2)");
  EXPECT_EQ(saving(folder / "."), "RuntimeError: unable to open file <" + folder / "." + ">: Is a directory (21)");
  EXPECT_EQ(saving(""), "ValueError: \"\" names no file");
}

TEST(TensorDict, KeepsTheInsertionOrder) {
  Dict dict;
  for (const char* name : {"c", "a", "b"}) dict.set(name, floats({1}));
  dict.set("a", floats({2}));
  ASSERT_OK(mt_tensor_dict_remove(dict, "c"));
  int64_t size = 0;
  ASSERT_OK(mt_tensor_dict_size(dict, &size));
  EXPECT_EQ(size, 2);
  const char* name = nullptr;
  Owned tensor;
  ASSERT_OK(mt_tensor_dict_at(dict, 1, &name, tensor.out()));
  EXPECT_STREQ(name, "b");
  Owned a, none;
  ASSERT_OK(mt_tensor_dict_get(dict, "a", a.out()));
  EXPECT_EQ(elements_of(a), (std::vector<float>{2}));
  ASSERT_OK(mt_tensor_dict_get(dict, "c", none.out()));
  EXPECT_EQ(static_cast<mt_tensor*>(none), nullptr);
  EXPECT_EQ(failure(mt_tensor_dict_at(dict, 2, &name, nullptr)), "IndexError: there is no tensor 2 among 2");
}

}  // namespace
