"""lightning: Trainer fits, validates, checkpoints, stops early and resumes; Fabric runs a loop."""
# requires: lightning

import lightning
import torch
from lightning.pytorch.callbacks import EarlyStopping, ModelCheckpoint
from report import report


class Net(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.save_hyperparameters()
        self.layer = torch.nn.Linear(8, 1)
        self.losses = []

    def training_step(self, batch, index):
        loss = torch.nn.functional.mse_loss(self.layer(batch[0]), batch[1])
        self.losses.append(loss.item())
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, index):
        self.log("val", torch.nn.functional.mse_loss(self.layer(batch[0]), batch[1]))

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), 0.01)
        return {"optimizer": optimizer, "lr_scheduler": torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)}


lightning.seed_everything(0)
x = torch.randn(64, 8)
data = torch.utils.data.TensorDataset(x, x.sum(1, keepdim=True))
loader = torch.utils.data.DataLoader(data, 16, shuffle=True)
options = {"accelerator": "cpu", "logger": False, "enable_progress_bar": False, "enable_model_summary": False}
best = ModelCheckpoint("checkpoints", monitor="val")
net = Net()
trainer = lightning.Trainer(max_epochs=3, callbacks=[best, EarlyStopping("val")], gradient_clip_val=1.0, **options)
trainer.fit(net, loader, torch.utils.data.DataLoader(data, 16))
report("losses", net.losses)
report("validation", trainer.callback_metrics["val"])
again = Net.load_from_checkpoint(best.best_model_path)
report("loaded", torch.equal(again.layer.weight, net.layer.weight))
further = lightning.Trainer(max_epochs=4, **options)
further.fit(again, loader, ckpt_path=best.best_model_path)
report("resumed", [further.current_epoch, again.losses[-1]])

fabric = lightning.Fabric(accelerator="cpu", devices=1)
model, optimizer = fabric.setup(torch.nn.Linear(8, 1), torch.optim.SGD(again.parameters(), 0.1))
fabric.backward(model(x).sum())
report("fabric", [parameter.grad for parameter in model.parameters()])
