// mindtorch-device-conformance LIB: checks that a device library does what the runtime relies on. Prints TAP; exit status 0 if all checks
// pass, 1 if one fails, 2 if the library cannot be used.
#include <cstdio>

#include "support.h"

using namespace conformance;

int main(int argc, char** argv) {
  if (argc != 2 || argv[1][0] == '-') {
    std::fprintf(stderr, "usage: mindtorch-device-conformance LIB\n\nLIB is a device plugin, or a library with ACL's interface.\n");
    return 2;
  }
  const std::string refusal = text_of(mt_device_load(argv[1]));
  int32_t devices = 0;
  const std::string uncounted = refusal.empty() ? text_of(mt_device_count(MT_NPU, &devices)) : "";
  if (!refusal.empty() || !uncounted.empty() || devices < 1) {
    std::fprintf(stderr, "%s: %s\n", argv[1], !refusal.empty() ? refusal.c_str() : !uncounted.empty() ? uncounted.c_str() : "no devices");
    return 2;
  }
  std::vector<Check> checks = memory_checks();
  for (Check& check : operator_checks()) checks.push_back(std::move(check));
  std::printf("# %s: device \"%s\", %d of them\n1..%zu\n", argv[1], mt_device_backend_name(), int(devices), checks.size());
  int failed = 0, number = 0;
  for (const Check& check : checks) {
    ++number;
    try {
      check.run();
      std::printf("ok %d - %s\n", number, check.name.c_str());
    } catch (const Skipped& why) {
      std::printf("ok %d - %s # SKIP %s\n", number, check.name.c_str(), why.what());
    } catch (const std::exception& why) {
      ++failed;
      std::printf("not ok %d - %s\n# %s\n", number, check.name.c_str(), why.what());
    }
    std::fflush(stdout);
  }
  if (failed) std::printf("# %d of %d failed\n", failed, number);
  return failed ? 1 : 0;
}
