// Public structs of programs that were compiled with older or newer headers than the library's.
#include <cstring>

#include "capi_support.h"

using namespace capi_test;

namespace {

// A struct as a later release may declare it: the fields of this release, followed by fields that this library does not know.
template <class S>
struct Later {
  S known{};
  int64_t further[2] = {-1, -1};
};

mt_status* hook_that_keeps(void*, mt_tensor* tensor, void** packed) {
  *packed = tensor;
  mt_tensor_retain(tensor);
  return nullptr;
}

}  // namespace

TEST(CapiStructs, AnOlderProgramGetsTheFieldsThatItKnows) {
  Owned tensor = floats({1, 2, 3, 4, 5, 6}, {2, 3});
  mt_tensor_info info;
  std::memset(&info, 0x5a, sizeof info);
  info.struct_size = offsetof(mt_tensor_info, numel);
  ASSERT_OK(mt_tensor_get_info(tensor, &info));
  EXPECT_EQ(info.struct_size, offsetof(mt_tensor_info, numel));
  EXPECT_EQ(info.ndim, 2);
  EXPECT_EQ(info.numel, 0x5a5a5a5a5a5a5a5a);  // fields that the program does not have
}

TEST(CapiStructs, ANewerProgramGetsZerosInFieldsThatTheLibraryDoesNotKnow) {
  Later<mt_op_info> info;
  info.known.struct_size = sizeof info;
  const mt_op* add = nullptr;
  ASSERT_OK(mt_op_find("add", "Tensor", &add));
  ASSERT_OK(mt_op_get_info(add, &info.known));
  EXPECT_EQ(info.known.struct_size, sizeof info);
  EXPECT_STREQ(info.known.name, "add");
  EXPECT_EQ(info.further[0], 0);
  EXPECT_EQ(info.further[1], 0);
}

TEST(CapiStructs, EveryOutputStructSupportsBothSizes) {
  const mt_op* add = nullptr;
  ASSERT_OK(mt_op_find("add", "Tensor", &add));
  Later<mt_arg_info> argument;
  Later<mt_allocator_stats> allocator;
  Later<mt_pipeline_stats> pipeline;
  argument.known.struct_size = sizeof argument;
  allocator.known.struct_size = sizeof allocator;
  pipeline.known.struct_size = sizeof pipeline;
  ASSERT_OK(mt_op_get_arg(add, 1, &argument.known));
  ASSERT_OK(mt_allocator_get_stats(&allocator.known));
  ASSERT_OK(mt_pipeline_get_stats(&pipeline.known));
  EXPECT_STREQ(argument.known.name, "other");
  EXPECT_EQ(argument.further[1] | allocator.further[1] | pipeline.further[1], 0);
  argument.known.struct_size = allocator.known.struct_size = pipeline.known.struct_size = sizeof(size_t);
  EXPECT_OK(mt_op_get_arg(add, 1, &argument.known));
  EXPECT_OK(mt_allocator_get_stats(&allocator.known));
  EXPECT_OK(mt_pipeline_get_stats(&pipeline.known));
}

TEST(CapiStructs, FieldsThatAnOlderProgramDoesNotKnowAreZero) {
  mt_saved_hooks hooks;
  std::memset(&hooks, 0x5a, sizeof hooks);  // the memory behind the older struct must not change
  hooks.struct_size = offsetof(mt_saved_hooks, pack) + sizeof hooks.pack;
  hooks.pack = hook_that_keeps;
  ASSERT_OK(mt_saved_hooks_push(&hooks, nullptr));
  EXPECT_OK(mt_saved_hooks_pop());
}

TEST(CapiStructs, AnOlderVtableWithoutItsRequiredFunctionIsRefused) {
  mt_function_vtable vtable{};
  vtable.struct_size = sizeof(size_t);
  mt_node* node = nullptr;
  EXPECT_EQ(failure(mt_node_create("Nothing", &vtable, nullptr, nullptr, 0, &node, nullptr)),
            "ValueError: a custom function needs an apply");
}

TEST(CapiStructs, ANewerProgramMayLeaveUnknownFieldsZero) {
  Later<mt_profiler_options> options;
  options.further[0] = options.further[1] = 0;
  options.known.struct_size = sizeof options;
  ASSERT_OK(mt_profiler_start(&options.known));
  int64_t count = -1;
  EXPECT_OK(mt_profiler_stop(&count));
  mt_profiler_clear();
}

TEST(CapiStructs, AnUnknownFieldThatIsSetIsRefused) {
  Later<mt_profiler_options> options;
  options.known.struct_size = sizeof options;
  EXPECT_EQ(failure(mt_profiler_start(&options.known)),
            "ValueError: options: this version knows " + std::to_string(sizeof options.known) +
                " bytes of the struct, and what follows is not zero; a newer library is needed");
  EXPECT_FALSE(mt_profiler_is_active());
}

TEST(CapiStructs, AnInvalidStructSizeIsRefused) {
  for (size_t size : {size_t(0), size_t(7), size_t(4097), SIZE_MAX}) {
    mt_allocator_stats stats{};
    stats.struct_size = size;
    EXPECT_EQ(failure(mt_allocator_get_stats(&stats)), "ValueError: out: struct_size must be the size of the struct, " +
                                                           std::to_string(sizeof stats) + " in this version, got " + std::to_string(size));
  }
}

TEST(CapiVersions, TheLibraryNamesTheReleaseOfItsHeaders) {
  EXPECT_EQ(std::string(mt_version()),
            std::to_string(MT_VERSION_MAJOR) + "." + std::to_string(MT_VERSION_MINOR) + "." + std::to_string(MT_VERSION_PATCH));
  EXPECT_EQ(mt_abi_version(), MT_ABI_VERSION);
}
