// Kernels that are added and removed one by one, operators that are removed, and notes (strings attached to an operator).
#include "mindtorch/library.h"

#include "capi_support.h"

using namespace capi_test;

namespace {

const mt_op* define(const char* schema) {
  const mt_op* op = nullptr;
  EXPECT_OK(mt_op_define(schema, &op));
  return op;
}

// A kernel that returns the number to which `user` points, as a float tensor of one element.
mt_status* give(void* user, const mt_op*, uint64_t, const mt_value*, int64_t, mt_value* rets, int64_t) {
  const mt_value number = mt_double(*static_cast<double*>(user));
  mt_tensor* tensor = nullptr;
  if (mt_status* status = mt_tensor_from_scalar(&number, MT_FLOAT32, 0, &tensor)) return status;
  rets[0] = mt_box_tensor(tensor);
  rets[0].flags = MT_FLAG_OWNED;
  return nullptr;
}
int64_t add(const mt_op* op, int32_t key, int32_t rank, double* number, void (*destroy)(void*) = nullptr) {
  int64_t id = 0;
  EXPECT_OK(mt_kernel_add(op, key, rank, give, number, destroy, &id));
  EXPECT_GT(id, 0);
  return id;
}
float answer(const char* name) {
  Owned x = floats({0});
  return elements_of(call_tensor(name, "", {box(x)}))[0];
}

TEST(CapiKernel, OverriddenKernelIsUsedAgainAfterRemoval) {
  const mt_op* op = define("librarytest::covered(Tensor self) -> Tensor");
  double one = 1, two = 2, three = 3;
  const int64_t first = add(op, MT_KEY_CPU, MT_RANK_DIRECT, &one), second = add(op, MT_KEY_CPU, MT_RANK_DIRECT, &two);
  EXPECT_EQ(answer("librarytest::covered"), 2);
  ASSERT_OK(mt_op_register_kernel(op, MT_KEY_CPU, give, &three, nullptr));
  EXPECT_EQ(answer("librarytest::covered"), 3);
  ASSERT_OK(mt_kernel_remove(op, second));
  EXPECT_EQ(answer("librarytest::covered"), 3);
  ASSERT_OK(mt_op_register_kernel(op, MT_KEY_CPU, nullptr, nullptr, nullptr));
  EXPECT_EQ(answer("librarytest::covered"), 1);
  ASSERT_OK(mt_kernel_remove(op, first));
  int32_t has = 1;
  ASSERT_OK(mt_op_has_kernel(op, MT_KEY_CPU, &has));
  EXPECT_EQ(has, 0);
  EXPECT_EQ(failure(mt_kernel_remove(op, first)).substr(0, 12), "RuntimeError");
}

TEST(CapiKernel, HigherRankWinsInAnyOrder) {
  const mt_op* op = define("librarytest::ranked(Tensor self) -> Tensor");
  double direct = 1, alias = 2;
  add(op, MT_KEY_CPU, MT_RANK_DIRECT, &direct);
  const int64_t body = add(op, MT_KEY_COMPOSITE, MT_RANK_ALIAS, &alias);
  mt_op_info info{};
  info.struct_size = sizeof info;
  ASSERT_OK(mt_op_get_info(op, &info));
  EXPECT_TRUE(info.traits & MT_OP_COMPOSITE);
  ASSERT_OK(mt_kernel_remove(op, body));
  ASSERT_OK(mt_op_get_info(op, &info));
  EXPECT_FALSE(info.traits & MT_OP_COMPOSITE);
  EXPECT_EQ(answer("librarytest::ranked"), 1);
}

TEST(CapiKernel, IsDestroyedOnceWhenRemoved) {
  const mt_op* op = define("librarytest::destroyed(Tensor self) -> Tensor");
  int destroyed = 0;
  int64_t id = 0;
  ASSERT_OK(mt_kernel_add(
      op, MT_KEY_CPU, MT_RANK_DIRECT,
      [](void*, const mt_op*, uint64_t, const mt_value*, int64_t, mt_value*, int64_t) -> mt_status* { return nullptr; }, &destroyed, count,
      &id));
  ASSERT_OK(mt_kernel_remove(op, id));
  EXPECT_EQ(destroyed, 1);
  EXPECT_NE(failure(mt_kernel_add(op, 99, MT_RANK_DIRECT, give, &destroyed, count, &id)), "");
  EXPECT_EQ(destroyed, 1);
}

TEST(CapiOperator, NameIsFreeAfterRemoval) {
  const mt_op* op = define("librarytest::passing(Tensor self) -> Tensor");
  int destroyed = 0;
  int64_t id = 0;
  ASSERT_OK(mt_kernel_add(op, MT_KEY_CPU, MT_RANK_DIRECT, give, &destroyed, count, &id));
  const int64_t listed = mt_op_count();
  ASSERT_OK(mt_op_undefine(op));
  EXPECT_EQ(destroyed, 1);
  EXPECT_EQ(mt_op_count(), listed - 1);
  const mt_op* found = nullptr;
  EXPECT_NE(failure(mt_op_find("librarytest::passing", "", &found)), "");
  Owned x = floats({1});
  mt_value arg = box(x), ret = mt_none();
  mt_status* status = mt_op_call(op, &arg, 1, &ret, 1, nullptr);
  EXPECT_EQ(mt_status_code(status), MT_NOT_IMPLEMENTED);
  mt_status_release(status);
  EXPECT_NE(failure(mt_op_undefine(op)), "");
  EXPECT_NE(define("librarytest::passing(Tensor self, int n) -> int"), op);
  ASSERT_OK(mt_op_find("add", "Tensor", &found));
  EXPECT_EQ(failure(mt_op_undefine(found)).substr(0, 12), "RuntimeError");
}

TEST(CapiOperator, CarriesNotes) {
  const mt_op* op = define("librarytest::noted(Tensor self) -> Tensor");
  mt_value note = mt_none();
  ASSERT_OK(mt_op_note(op, "place", &note));
  EXPECT_EQ(note.tag, MT_TAG_NONE);
  ASSERT_OK(mt_op_note_set(op, "place", "here"));
  ASSERT_OK(mt_op_note(op, "place", &note));
  EXPECT_EQ(std::string(note.as.string.data, size_t(note.as.string.size)), "here");
  mt_value_clear(&note);
  ASSERT_OK(mt_op_note_set(op, "place", nullptr));
  ASSERT_OK(mt_op_note(op, "place", &note));
  EXPECT_EQ(note.tag, MT_TAG_NONE);
}

TEST(CapiKernel, MayReturnNoneForAnOptionalResult) {
  const mt_op* op = define("librarytest::perhaps(Tensor self) -> int?");
  int64_t id = 0;
  ASSERT_OK(mt_kernel_add(
      op, MT_KEY_CPU, MT_RANK_DIRECT,
      [](void*, const mt_op*, uint64_t, const mt_value*, int64_t, mt_value*, int64_t) -> mt_status* { return nullptr; }, nullptr, nullptr,
      &id));
  Owned x = floats({1});
  EXPECT_EQ(call("librarytest::perhaps", "", {box(x)}).tag, MT_TAG_NONE);
}

// ---- schemas ----------------------------------------------------------------------------------------------------

class ParsedSchema {
 public:
  explicit ParsedSchema(const char* text) { EXPECT_OK(mt_schema_parse(text, &handle)); }
  ~ParsedSchema() { mt_schema_release(handle); }
  mt_op_info info() const {
    mt_op_info out{};
    out.struct_size = sizeof out;
    EXPECT_OK(mt_schema_get_info(handle, &out));
    return out;
  }
  mt_arg_info arg(int32_t index) const {
    mt_arg_info out{};
    out.struct_size = sizeof out;
    EXPECT_OK(mt_schema_get_arg(handle, index, &out));
    return out;
  }
  mt_schema* handle = nullptr;
};

TEST(CapiSchema, DescribesArgumentsAndResults) {
  const ParsedSchema schema("my::scale.out(Tensor self, float factor=2.0, *, int[2] size=1, Tensor(a!) out) -> Tensor(a!)");
  const mt_op_info info = schema.info();
  EXPECT_STREQ(info.ns, "my");
  EXPECT_STREQ(info.name, "scale");
  EXPECT_STREQ(info.base_name, "scale");
  EXPECT_STREQ(info.overload, "out");
  EXPECT_STREQ(info.schema, "my::scale.out(Tensor self, float factor=2.0, *, int[2] size=1, Tensor(a!) out) -> Tensor(a!)");
  EXPECT_STREQ(info.doc, "");
  EXPECT_EQ(info.traits, MT_OP_MUTATES);
  EXPECT_EQ(info.forms, 0);
  EXPECT_EQ(info.n_args, 4);
  EXPECT_EQ(info.n_returns, 1);
  EXPECT_STREQ(schema.arg(1).name, "factor");
  EXPECT_STREQ(schema.arg(1).default_text, "2.0");
  EXPECT_EQ(schema.arg(1).keyword_only, 0);
  EXPECT_STREQ(schema.arg(2).type, "int[2]");
  EXPECT_EQ(schema.arg(2).list_size, 2);
  EXPECT_EQ(schema.arg(3).mutated, 1);
  EXPECT_EQ(schema.arg(3).alias_set, 1);
  mt_arg_info result{};
  result.struct_size = sizeof result;
  ASSERT_OK(mt_schema_get_return(schema.handle, 0, &result));
  EXPECT_STREQ(result.type, "Tensor");
  EXPECT_EQ(result.mutated, 1);
  EXPECT_EQ(failure(mt_schema_get_arg(schema.handle, 4, &result)), "IndexError: scale has 4 arguments, none of number 4");
  EXPECT_EQ(failure(mt_schema_get_return(schema.handle, -1, &result)), "IndexError: scale has 1 results, none of number -1");
}

TEST(CapiSchema, ATextWithoutANamespaceHasNone) {
  const ParsedSchema schema("half(Tensor(a) self) -> Tensor(a)");
  EXPECT_STREQ(schema.info().ns, "");
  EXPECT_STREQ(schema.info().schema, "half(Tensor(a) self) -> Tensor(a)");
  EXPECT_EQ(schema.info().traits, MT_OP_IS_VIEW);
}

TEST(CapiSchema, ParsingDefinesNoOperator) {
  const int64_t before = mt_op_count();
  const ParsedSchema schema("librarytest::only_parsed(Tensor self) -> Tensor");
  const mt_op* op = nullptr;
  EXPECT_NE(failure(mt_op_find("librarytest::only_parsed", "", &op)), "");
  EXPECT_EQ(mt_op_count(), before);
}

TEST(CapiSchema, StaysAsLongAsAReferenceToIt) {
  mt_schema* schema = nullptr;
  ASSERT_OK(mt_schema_parse("f(int n) -> int", &schema));
  mt_schema_retain(schema);
  mt_schema_release(schema);
  mt_op_info info{};
  info.struct_size = sizeof info;
  ASSERT_OK(mt_schema_get_info(schema, &info));
  EXPECT_STREQ(info.name, "f");
  mt_schema_release(schema);
  mt_schema_retain(nullptr);
  mt_schema_release(nullptr);
}

TEST(CapiSchema, RefusesOtherTextsAndOtherHandles) {
  mt_schema* schema = nullptr;
  // The expected error is that of torch.parse_schema("my::f(Tensor x -> Tensor") in torch.
  EXPECT_EQ(failure(mt_schema_parse("my::f(Tensor x -> Tensor", &schema)),
            "RuntimeError: expected ) but found 'arrow' here:\nf(Tensor x -> Tensor\n           ~~ <--- HERE\n");
  EXPECT_NE(failure(mt_schema_parse("", &schema)), "");
  EXPECT_NE(failure(mt_schema_parse(nullptr, &schema)), "");
  EXPECT_NE(failure(mt_schema_parse("f() -> ()", nullptr)), "");
  EXPECT_EQ(schema, nullptr);
  mt_op_info info{};
  info.struct_size = sizeof info;
  Owned tensor = floats({1});
  EXPECT_EQ(failure(mt_schema_get_info(reinterpret_cast<mt_schema*>(static_cast<mt_tensor*>(tensor)), &info)),
            "TypeError: schema must be a schema, not a tensor");
}

}  // namespace
