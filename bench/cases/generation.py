"""Greedy generation with a cache, one token at a time."""

from . import Group

group = Group("generation", 0.75)
NAMES = (
    "hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads", "intermediate_size", "vocab_size",
)  # fmt: skip
LARGE = dict(zip(NAMES, (896, 8, 14, 2, 4864, 32000), strict=True))
SMALL = dict(zip(NAMES, (32, 2, 4, 2, 37, 99), strict=True))


def make_generation_case(config, token_count, dtype="float32"):
    def prepare(torch):
        import transformers

        transformers.logging.set_verbosity_error()
        model = transformers.Qwen2ForCausalLM(transformers.Qwen2Config(**config)).to(getattr(torch, dtype)).eval()
        prompt = (torch.arange(16) * 7 % config["vocab_size"]).view(1, 16)
        options = {"do_sample": False, "min_new_tokens": token_count, "max_new_tokens": token_count, "pad_token_id": 0}
        mask = torch.ones_like(prompt)
        return lambda: model.generate(prompt, attention_mask=mask, eos_token_id=None, **options)

    return prepare


group.add_case("Qwen2, 8 layers of 896, 32 tokens", make_generation_case(LARGE, 32), tolerance=0.0)
# bfloat16 logits have eight significant bits and often tie, and either token may win, so the tokens themselves are not
# compared.
group.add_case(
    "Qwen2, 8 layers of 896, 32 tokens, bfloat16", make_generation_case(LARGE, 32, "bfloat16"), tolerance=float("inf")
)
group.add_case("test-size Qwen2, 64 tokens", make_generation_case(SMALL, 64), at_most=0.6, tolerance=0.0)
