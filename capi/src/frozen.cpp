// Checks at compile time: structs without a struct_size never change, and the headers' version is the project's.
#include <string_view>

#include "mindtorch/mindtorch.h"

static_assert(sizeof(mt_value) == 24 && alignof(mt_value) == 8 && offsetof(mt_value, as) == 8);
static_assert(sizeof(mt_device) == 8 && alignof(mt_device) == 4);
static_assert(sizeof(mt_edge) == 16 && alignof(mt_edge) == 8);
static_assert(sizeof(mt_profile_input) == 48 && alignof(mt_profile_input) == 8);

#define MT_TEXT_OF(x) #x
#define MT_TEXT(x) MT_TEXT_OF(x)
static_assert(std::string_view(MT_VERSION_STRING) == MT_TEXT(MT_VERSION_MAJOR) "." MT_TEXT(MT_VERSION_MINOR) "." MT_TEXT(MT_VERSION_PATCH));
