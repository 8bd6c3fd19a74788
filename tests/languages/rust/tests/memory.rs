//! One test, because the peak is that of the whole process.

use mindtorch::{ones, SliceOptions};
use mindtorch_tests::peak;

#[test]
fn dropped_tensors_stay_under_600_mb() {
    for _ in 0..200 {
        let x = ones(&[10_000_000]).unwrap(); // 40 MB
        x.slice_with(SliceOptions {
            start: Some(1),
            ..Default::default()
        })
        .unwrap();
    }
    for _ in 0..50 {
        let x = ones(&[10_000_000]).unwrap();
        x.set_requires_grad(true).unwrap();
        x.exp().unwrap().sum().unwrap();
    }
    println!("the peak is {} MB", peak() / 1_000_000);
    assert!(peak() < 600_000_000, "the peak is {} bytes", peak());
}
