// The list of what operators say of their out=.
#include "dispatch/out_words.h"

namespace mt {
namespace {
const OutWordsEntry* entries = nullptr;
}  // namespace

OutWordsEntry::OutWordsEntry(const char* name, const OutWords& said) : op(name), words(said), next(entries) { entries = this; }

const OutWords* out_words(const std::string& op) {
  for (const OutWordsEntry* e = entries; e; e = e->next)
    if (op == e->op) return &e->words;
  return nullptr;
}

}  // namespace mt
