"""diffusers: a UNet denoises with DDIM and DPM-Solver and trains; an autoencoder; a pipeline, saved and loaded."""
# requires: diffusers; transformers

import torch
from diffusers import (
    AutoencoderKL,
    DDIMScheduler,
    DDPMPipeline,
    DDPMScheduler,
    DPMSolverMultistepScheduler,
    UNet2DModel,
)
from report import report, report_training

torch.manual_seed(0)
unet = UNet2DModel(
    sample_size=16,
    in_channels=3,
    out_channels=3,
    layers_per_block=1,
    block_out_channels=(16, 32),
    norm_num_groups=8,
    down_block_types=("DownBlock2D", "AttnDownBlock2D"),
    up_block_types=("AttnUpBlock2D", "UpBlock2D"),
)
noise = torch.randn(1, 3, 16, 16)
for kind in (DDIMScheduler, DPMSolverMultistepScheduler):
    scheduler = kind(num_train_timesteps=100)
    scheduler.set_timesteps(4)
    sample = noise
    with torch.no_grad():
        for step in scheduler.timesteps:
            sample = scheduler.step(unet(sample, step).sample, step, sample).prev_sample
    report(kind.__name__, sample, rtol=1e-3, atol=1e-4)

schedule = DDPMScheduler(num_train_timesteps=100)
noisy = schedule.add_noise(torch.ones_like(noise), noise, torch.tensor([10]))
report_training(unet, lambda: torch.nn.functional.mse_loss(unet(noisy, 10).sample, noise))
pipeline = DDPMPipeline(unet=unet, scheduler=schedule)
pipeline.set_progress_bar_config(disable=True)
images = pipeline(
    batch_size=1, num_inference_steps=3, generator=torch.Generator().manual_seed(0), output_type="np"
).images
report("pipeline", images, rtol=1e-3, atol=1e-3)
pipeline.save_pretrained("pipeline")
again = DDPMPipeline.from_pretrained("pipeline")
report("saved", all(torch.equal(a, b) for a, b in zip(again.unet.parameters(), unet.parameters(), strict=False)))

coder = AutoencoderKL(
    block_out_channels=(16, 32),
    down_block_types=("DownEncoderBlock2D",) * 2,
    up_block_types=("UpDecoderBlock2D",) * 2,
    latent_channels=4,
    norm_num_groups=8,
    sample_size=16,
)
with torch.no_grad():
    latent = coder.encode(noise).latent_dist
    report("latent", latent.mean)
    report("decoded", coder.decode(latent.mode()).sample)
