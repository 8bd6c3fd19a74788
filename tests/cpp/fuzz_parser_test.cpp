// The parsers of schemas and device names on malformed text: they raise, and neither crash nor hang.
#include <random>

#include "capi_support.h"
#include "core/exception.h"
#include "dispatch/operator.h"

using namespace capi_test;

namespace {

const std::string pieces[] = {"Tensor",
                              "Tensor(a!)",
                              "Tensor(a -> *)",
                              "Tensor?[]",
                              "int[2]",
                              "int[]?",
                              "Scalar",
                              "float",
                              "str",
                              "bool[3]",
                              "SymInt",
                              "ScalarType?",
                              "Device",
                              "Generator?",
                              "(",
                              ")",
                              "[",
                              "]",
                              ",",
                              ", ",
                              "->",
                              " ",
                              "=",
                              "=1",
                              "=None",
                              "=[0, 1]",
                              "=[",
                              "='x",
                              "=\"mean\"",
                              "=1e400",
                              "=-9223372036854775809",
                              "*",
                              "?",
                              "!",
                              ".",
                              "::",
                              "self",
                              "x",
                              "_",
                              "\xff",
                              "\"",
                              "'",
                              "9999999999999999999999",
                              "=True",
                              "=Mean",
                              "=contiguous_format",
                              "(a",
                              "(a|b)",
                              "(!)",
                              "()"};
const std::string good =
    "aten::lerp.Scalar(Tensor(a!) self, Tensor? end=None, *, int[2] dims=[0, 1], str mode=\"mean\") -> (Tensor(a!), int)";

std::string parse(const std::string& text) {
  try {
    return mt::schema_text(mt::parse_schema(text));
  } catch (const mt::Error&) {
    return "refused";
  }
}

TEST(FuzzSchema, MutationsOfAGoodSchemaAreReadOrRefused) {
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    std::string text = good;
    for (int edits = int(random() % 4); edits >= 0; --edits) {
      const size_t at = random() % (text.size() + 1);
      switch (random() % 3) {
        case 0: text.insert(at, pieces[random() % std::size(pieces)]); break;
        case 1: text.erase(at, random() % 5); break;
        default: text = text.substr(0, at);
      }
    }
    parse(text);
  }
}

TEST(FuzzSchema, RandomFragmentsAreReadOrRefused) {
  std::mt19937 random(2);
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (int n = int(random() % 20); n >= 0; --n) text += pieces[random() % std::size(pieces)];
    parse(text);
  }
}

TEST(FuzzSchema, ParsedSchemasRoundTripThroughText) {
  for (const mt::Operator* op : mt::all_operators()) EXPECT_EQ(parse(op->schema.text), op->schema.text);
  EXPECT_EQ(parse(good), good);
}

TEST(FuzzDevice, AnyTextIsReadOrRefused) {
  std::mt19937 random(3);
  const std::string letters =
      "cpudameta:0123456789 -_\xff"
      "npu";
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (int n = int(random() % 12); n > 0; --n) text += letters[random() % letters.size()];
    mt_device device{-7, -7};
    mt_status* status = mt_device_parse(text.c_str(), &device);
    if (status)
      EXPECT_EQ(device.type, -7);
    else
      EXPECT_GE(device.type, 0);
    mt_status_release(status);
  }
}

}  // namespace
