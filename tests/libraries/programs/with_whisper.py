"""openai-whisper: a small Whisper encodes a spectrogram and decodes; its tokenizer and audio features."""
# requires: openai-whisper

import torch
import whisper
from report import report, report_training
from whisper.model import ModelDimensions, Whisper

torch.manual_seed(0)
model = Whisper(
    ModelDimensions(
        n_mels=80,
        n_audio_ctx=100,
        n_audio_state=32,
        n_audio_head=2,
        n_audio_layer=2,
        n_vocab=51865,
        n_text_ctx=64,
        n_text_state=32,
        n_text_head=2,
        n_text_layer=2,
    )
)
torch.nn.init.normal_(model.decoder.positional_embedding, std=0.1)  # the library leaves it empty
mel = whisper.log_mel_spectrogram(torch.sin(torch.arange(32000) * 0.05))
report("features", mel, atol=1e-3)
audio = whisper.audio.pad_or_trim(mel, 200)[None]
tokens = torch.randint(1000, (1, 6))
report("logits", model(audio, tokens)[:, :, :200], rtol=1e-3, atol=1e-4)
report_training(
    model,
    lambda: torch.nn.functional.cross_entropy(model(audio, tokens)[:, :-1].flatten(0, 1), tokens[:, 1:].flatten()),
)
tokenizer = whisper.tokenizer.get_tokenizer(multilingual=True)
report("tokens", tokenizer.encode("The quick brown fox."))
