// libFuzzer's entry: MINDTORCH_FUZZ names the parser.
#include <cstdio>
#include <cstdlib>

#include "parsers.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const mt::fuzz::Parser* const chosen = [] {
    const char* name = std::getenv("MINDTORCH_FUZZ");
    for (const mt::fuzz::Parser& parser : mt::fuzz::parsers())
      if (name && parser.name == name) return &parser;
    std::fprintf(stderr, "MINDTORCH_FUZZ has to name a parser\n");
    std::exit(2);
  }();
  chosen->run({data, size});
  return 0;
}
