use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

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

/// The number of a product is odd during the product. It is the same before and after a step of this thread only if the step was
/// during one product.
#[test]
fn another_thread_goes_on_during_a_product() {
    let x = rand(&[1000, 1000]).unwrap();
    let (number, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
    thread::scope(|scope| {
        let worker = scope.spawn(|| {
            for _ in 0..2000 {
                if stopped.load(SeqCst) {
                    break;
                }
                number.fetch_add(1, SeqCst);
                x.mm(&x).unwrap();
                number.fetch_add(1, SeqCst);
            }
        });
        let mut seen = 0;
        while seen < 10 {
            assert!(!worker.is_finished(), "{seen} steps were during one of 2000 products");
            let before = number.load(SeqCst);
            thread::sleep(Duration::from_micros(100));
            if before % 2 == 1 && number.load(SeqCst) == before {
                seen += 1;
            }
        }
        stopped.store(true, SeqCst);
    });
}
