"""peft: LoRA, IA3 and prefix tuning of a small Llama; adapters saved, loaded, merged and switched off."""
# requires: peft; transformers

import torch
from peft import IA3Config, LoraConfig, PeftModel, get_peft_model
from report import report, report_training
from transformers import LlamaConfig, LlamaForCausalLM


def make_llama():
    torch.manual_seed(0)
    return LlamaForCausalLM(
        LlamaConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64, vocab_size=99)
    )


ids = torch.randint(4, 90, (2, 10), generator=torch.Generator().manual_seed(1))
model = get_peft_model(
    make_llama(),
    LoraConfig(r=4, lora_alpha=8, target_modules=["q_proj", "v_proj"], lora_dropout=0.0, task_type="CAUSAL_LM"),
)
report("trainable", list(model.get_nb_trainable_parameters()))
report_training(model, lambda: model(ids, labels=ids).loss, lr=1.0)
model.save_pretrained("adapter")
again = PeftModel.from_pretrained(make_llama(), "adapter")
report("loaded", torch.equal(again(ids).logits, model(ids).logits))
report("merged", again.merge_and_unload()(ids).logits)
with model.disable_adapter():
    report("disabled", model(ids).logits)
ia3 = get_peft_model(
    make_llama(),
    IA3Config(target_modules=["k_proj", "down_proj"], feedforward_modules=["down_proj"], task_type="CAUSAL_LM"),
)
report("ia3", ia3(ids, labels=ids).loss)
