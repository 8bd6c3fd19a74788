"""transformers: small BERT, Llama and T5 train and generate; save_pretrained and from_pretrained."""
# requires: transformers>=5

import torch
import transformers
from report import report, report_training

torch.manual_seed(0)
ids = torch.randint(4, 90, (2, 12))
sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64, "vocab_size": 99}

bert = transformers.BertForSequenceClassification(transformers.BertConfig(**sizes, num_labels=3))
report("bert", bert.eval()(ids).logits)
report_training(bert, lambda: bert(ids, labels=torch.tensor([0, 2])).loss)

llama = transformers.LlamaForCausalLM(
    transformers.LlamaConfig(**sizes, num_key_value_heads=2, max_position_embeddings=64)
).eval()
report("llama", llama(ids).logits)
report("greedy", llama.generate(ids, max_new_tokens=8, do_sample=False))
report("beams", llama.generate(ids, max_new_tokens=8, num_beams=3, do_sample=False))
torch.manual_seed(1)
report("sampled", llama.generate(ids, max_new_tokens=8, do_sample=True, top_k=20))

t5 = transformers.T5ForConditionalGeneration(
    transformers.T5Config(
        vocab_size=99, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4, decoder_start_token_id=0
    )
).eval()
report("t5", t5(input_ids=ids, labels=ids).loss)
t5.save_pretrained("t5")
again = transformers.T5ForConditionalGeneration.from_pretrained("t5").eval()
report("saved and loaded", torch.equal(again(input_ids=ids, labels=ids).loss, t5(input_ids=ids, labels=ids).loss))
