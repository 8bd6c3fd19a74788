"""trl: supervised fine-tuning and direct preference optimization of a small Llama."""
# requires: trl; transformers; datasets; tokenizers

import transformers
from datasets import Dataset
from report import report
from tokenizers import Tokenizer, models, pre_tokenizers
from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer

words = ["[UNK]", "[PAD]", "[EOS]", *"the cat sat on a mat and dog ran to park good bad".split()]
plain = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="[UNK]"))
plain.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer = transformers.PreTrainedTokenizerFast(
    tokenizer_object=plain, unk_token="[UNK]", pad_token="[PAD]", eos_token="[EOS]"
)


def make_llama():
    transformers.set_seed(0)
    return transformers.LlamaForCausalLM(
        transformers.LlamaConfig(
            hidden_size=32,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=64,
            vocab_size=len(words),
            eos_token_id=2,
            pad_token_id=1,
        )
    )


options = {
    "max_steps": 3,
    "per_device_train_batch_size": 2,
    "logging_steps": 1,
    "report_to": [],
    "use_cpu": True,
    "learning_rate": 0.01,
    "save_strategy": "no",
    "disable_tqdm": True,
    "bf16": False,
    "gradient_checkpointing": False,
}
texts = Dataset.from_dict({"text": ["the cat sat on a mat", "the dog ran to the park", "a cat and a dog", "the mat"]})
trainer = SFTTrainer(
    make_llama(), args=SFTConfig("sft", max_length=16, **options), train_dataset=texts, processing_class=tokenizer
)
trainer.train()
report("sft", [line["loss"] for line in trainer.state.log_history if "loss" in line], rtol=1e-3)
pairs = Dataset.from_dict(
    {"prompt": ["the cat", "the dog"] * 2, "chosen": [" good", " sat"] * 2, "rejected": [" bad", " ran"] * 2}
)
trainer = DPOTrainer(
    make_llama(), make_llama(), args=DPOConfig("dpo", **options), train_dataset=pairs, processing_class=tokenizer
)
trainer.train()
report("dpo", [line["loss"] for line in trainer.state.log_history if "loss" in line], rtol=1e-3)
report("weights", sum(parameter.detach().abs().sum() for parameter in trainer.model.parameters()), rtol=1e-3)
