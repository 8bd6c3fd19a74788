"""pytorch-ignite: an engine trains and evaluates with metrics, handlers and a checkpoint."""
# requires: pytorch-ignite

import torch
from ignite.engine import Events, create_supervised_evaluator, create_supervised_trainer
from ignite.handlers import Checkpoint, DiskSaver, EarlyStopping
from ignite.metrics import Accuracy, ConfusionMatrix, Loss
from report import report

torch.manual_seed(0)
x, y = torch.randn(64, 6), torch.randint(3, (64,))
batches = list(zip(x.split(16), y.split(16), strict=False))
model = torch.nn.Sequential(torch.nn.Linear(6, 16), torch.nn.Tanh(), torch.nn.Linear(16, 3))
optimizer = torch.optim.RMSprop(model.parameters(), 0.01)
criterion = torch.nn.CrossEntropyLoss()
trainer = create_supervised_trainer(model, optimizer, criterion)
evaluator = create_supervised_evaluator(
    model, {"accuracy": Accuracy(), "loss": Loss(criterion), "confusion": ConfusionMatrix(3)}
)
losses = []
trainer.add_event_handler(Events.ITERATION_COMPLETED, lambda engine: losses.append(engine.state.output))
evaluator.add_event_handler(Events.COMPLETED, EarlyStopping(3, lambda engine: -engine.state.metrics["loss"], trainer))
saver = Checkpoint({"model": model, "trainer": trainer}, DiskSaver("saved", create_dir=True), n_saved=1)
trainer.add_event_handler(Events.EPOCH_COMPLETED, saver)
trainer.add_event_handler(Events.EPOCH_COMPLETED, lambda _: evaluator.run(batches))
trainer.run(batches, max_epochs=3)
report("losses", losses)
report("metrics", evaluator.state.metrics)
report("checkpoint", str(saver.last_checkpoint).rsplit("/")[-1])
Checkpoint.load_objects({"model": model}, torch.load(f"saved/{saver.last_checkpoint.name}"))
report("loaded", model(x[:2]))
