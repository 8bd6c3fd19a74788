//! What the tests share. Expected numbers and texts are those of torch 2.13.0 (CPU) unless a comment says otherwise.

use mindtorch::{Error, Result, Tensor};

pub fn floats(elements: &[f32], shape: &[i64]) -> Tensor {
    Tensor::from_slice(elements, shape).unwrap()
}

/// A leaf with one dimension that requires a gradient.
pub fn leaf(elements: &[f32]) -> Tensor {
    let x = floats(elements, &[elements.len() as i64]);
    x.set_requires_grad(true).unwrap();
    x
}

#[track_caller]
pub fn assert_elements(tensor: &Tensor, want: &[f64]) {
    let got = tensor.to_f64s().unwrap();
    assert_eq!(got.len(), want.len(), "{got:?}");
    for (got, want) in got.iter().zip(want) {
        assert!((got - want).abs() <= 1e-6 * want.abs().max(1.0), "{got} is not {want}");
    }
}

#[track_caller]
pub fn error<T>(result: Result<T>) -> Error {
    match result {
        Ok(_) => panic!("there is no error"),
        Err(error) => error,
    }
}

/// The kind and the whole text of an error.
#[track_caller]
pub fn assert_error<T>(result: Result<T>, kind: &str, message: &str) {
    let error = error(result);
    assert_eq!((error.kind(), error.message()), (kind, message));
}

/// The largest resident size of the process so far, in bytes.
pub fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() << 10
}
