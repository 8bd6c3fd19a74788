use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use mindtorch::{no_grad, ones, rand, zeros, AddOptions, Result, Tensor};

/// Finds w in y = w * x by gradient descent.
fn fit(target: f64) -> Result<f32> {
    let x: Tensor = [1f32, 2.0, 3.0, 4.0].try_into()?;
    let (y, w) = (&x * target, zeros(&[])?);
    w.set_requires_grad(true)?;
    for _ in 0..200 {
        x.mul(&w)?.mse_loss(&y)?.backward()?;
        let _guard = no_grad();
        w.add_with_(
            &w.grad()?.expect("backward has run"),
            AddOptions {
                alpha: Some((-0.02).into()),
            },
        )?;
        w.set_grad(None)?;
    }
    w.item()
}

#[test]
fn eight_threads_train_side_by_side() {
    let threads: Vec<_> = (0..8).map(|i| thread::spawn(move || fit(f64::from(i)))).collect();
    for (i, thread) in threads.into_iter().enumerate() {
        let found = thread.join().unwrap().unwrap();
        assert!((found - i as f32).abs() < 1e-4, "thread {i} found {found}");
    }
}

#[test]
fn one_tensor_is_read_by_eight_threads() {
    let x = ones(&[1000]).unwrap();
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..200 {
                    assert_eq!(x.sum().unwrap().item::<f32>().unwrap(), 1000.0);
                }
            });
        }
    });
}

#[test]
fn another_thread_goes_on_during_a_long_product() {
    let x = rand(&[3000, 3000]).unwrap();
    let (sender, receiver) = mpsc::channel();
    let begun = Instant::now();
    let worker = thread::spawn(move || {
        let product = x.mm(&x);
        sender.send(()).unwrap();
        product.unwrap();
    });
    let mut ticks = 0;
    while receiver.recv_timeout(Duration::from_millis(1)).is_err() {
        ticks += 1;
    }
    let took = begun.elapsed();
    worker.join().unwrap();
    assert!(ticks >= took.as_millis() / 20, "{ticks} ticks in {took:?}");
}
