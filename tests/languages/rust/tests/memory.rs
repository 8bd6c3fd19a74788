//! One test, because the peak is that of the whole process.

use mindtorch::ones;
use mindtorch_tests::peak;

#[test]
fn dropped_tensors_stay_under_600_mb() {
    for _ in 0..200 {
        ones(&[10_000_000]).unwrap(); // 40 MB
    }
    assert!(peak() < 600_000_000, "the peak is {} bytes", peak());
}
