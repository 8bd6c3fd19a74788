//! Trains a network of two layers on three spirals, saves and loads its weights, and handles an error.

use std::f64::consts::PI;

use mindtorch::{
    load, no_grad, randn, save, zeros, AddOptions, ArgmaxOptions, LinearOptions, Result, SaveOptions, Tensor,
};

const ARMS: i64 = 3;
const POINTS: i64 = 100;
const HIDDEN: i64 = 64;

fn make_spirals() -> Result<(Tensor, Tensor)> {
    let (mut xy, mut labels) = (Vec::new(), Vec::new());
    for arm in 0..ARMS {
        for i in 0..POINTS {
            let radius = (i + 1) as f64 / POINTS as f64;
            let angle = arm as f64 * 2.0 * PI / ARMS as f64 + 4.0 * radius + 0.1 * (37.0 * i as f64).sin();
            xy.extend([(radius * angle.cos()) as f32, (radius * angle.sin()) as f32]);
            labels.push(arm);
        }
    }
    Ok((Tensor::from_slice(&xy, &[ARMS * POINTS, 2])?, labels.try_into()?))
}

struct Network {
    weights: [(&'static str, Tensor); 4],
}

impl Network {
    fn new() -> Result<Network> {
        let first = randn(&[HIDDEN, 2])?;
        let second = &randn(&[ARMS, HIDDEN])? * 0.125;
        let (bias1, bias2) = (zeros(&[HIDDEN])?, zeros(&[ARMS])?);
        let weights = [
            ("0.weight", first),
            ("0.bias", bias1),
            ("2.weight", second),
            ("2.bias", bias2),
        ];
        for (_, weight) in &weights {
            weight.set_requires_grad(true)?;
        }
        Ok(Network { weights })
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let [(_, weight1), (_, bias1), (_, weight2), (_, bias2)] = &self.weights;
        let hidden = x.linear_with(weight1, LinearOptions { bias: Some(bias1) })?.tanh()?;
        hidden.linear_with(weight2, LinearOptions { bias: Some(bias2) })
    }

    fn descend(&self, rate: f64) -> Result<()> {
        let _guard = no_grad();
        for (_, weight) in &self.weights {
            let grad = weight.grad()?.expect("backward has run");
            weight.add_with_(
                &grad,
                AddOptions {
                    alpha: Some((-rate).into()),
                },
            )?;
            weight.set_grad(None)?;
        }
        Ok(())
    }
}

fn main() -> Result<()> {
    let threads = mindtorch::threads();
    println!(
        "mindtorch {}, ABI {}, {threads} threads",
        mindtorch::version(),
        mindtorch::abi_version()
    );
    let (x, labels) = make_spirals()?;
    mindtorch::manual_seed(7)?;
    let network = Network::new()?;
    for step in 1..=400 {
        let logits = network.forward(&x)?;
        let loss = logits.cross_entropy_loss(&labels)?;
        loss.backward()?;
        network.descend(1.0)?;
        if step == 1 || step % 100 == 0 {
            let best = logits.argmax_with(ArgmaxOptions {
                dim: Some(1),
                ..Default::default()
            })?;
            let hits = best.eq(&labels)?.sum()?.item::<i64>()?;
            let accuracy = hits as f64 / (ARMS * POINTS) as f64;
            println!("step {step}: loss {:.6}, accuracy {accuracy:.4}", loss.item::<f32>()?);
        }
    }

    let path = std::env::temp_dir().join("spiral-rust.safetensors");
    save(
        &path,
        network.weights.iter().map(|(name, weight)| (name, weight)),
        SaveOptions::default(),
    )?;
    let loaded = load(&path)?;
    println!("loaded {:?} {}", loaded["2.bias"].shape(), loaded["2.bias"].dtype());
    let _ = std::fs::remove_file(path);

    if let Err(error) = x.add(&labels) {
        println!("{error}");
    }
    Ok(())
}
