//! How tensors are printed.

use std::fmt::{self, Display};

use crate::error::Result;
use crate::tensor::Tensor;
use crate::types::DType;

const PRINTED_ELEMENTS: i64 = 1000; // a tensor with more is shortened
const PRINTED_EDGE: usize = 3; // to this many at each end of a dimension

/// Elements, shortened for large tensors, shape and dtype: `tensor([1.0, 2.5], shape=[2], dtype=float32)`.
impl Display for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match element_printer(self) {
            Ok(element) => {
                let is_shortened = self.numel() > PRINTED_ELEMENTS;
                nested(
                    &*element,
                    0,
                    self.numel() as usize,
                    &self.shape(),
                    is_shortened,
                    "tensor(".len(),
                )
            }
            Err(_) => "...".into(), // on meta there are no elements, and sparse ones are not in order
        };
        write!(f, "tensor({text}, shape={:?}, dtype={}", self.shape(), self.dtype())?;
        if !self.device().is_cpu() {
            write!(f, ", device={}", self.device())?;
        }
        if self.requires_grad() {
            write!(f, ", requires_grad")?;
        }
        write!(f, ")")
    }
}

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

/// A function that formats the element at an index.
fn element_printer(tensor: &Tensor) -> Result<Box<dyn Fn(usize) -> String>> {
    fn printing<T: fmt::Debug + 'static>(elements: Vec<T>) -> Box<dyn Fn(usize) -> String> {
        Box::new(move |i| format!("{:?}", elements[i]))
    }
    let dtype = tensor.dtype();
    Ok(match dtype {
        DType::Bool => printing(tensor.to_vec::<bool>()?),
        DType::Uint64 => printing(tensor.to_vec::<u64>()?),
        DType::Float64 => printing(tensor.to_vec::<f64>()?),
        _ if dtype.is_complex() => {
            let numbers = tensor.to_dtype(DType::Complex128)?.to_vec::<crate::Complex<f64>>()?;
            Box::new(move |i| format!("{}{:+}i", numbers[i].re, numbers[i].im))
        }
        _ if dtype.is_floating_point() => printing(tensor.to_dtype(DType::Float32)?.to_vec::<f32>()?),
        _ => printing(tensor.to_dtype(DType::Int64)?.to_vec::<i64>()?),
    })
}

/// Brackets around each dimension of `count` elements from `start`; rows below the first are indented to stand under it.
fn nested(
    element: &dyn Fn(usize) -> String,
    start: usize,
    count: usize,
    shape: &[i64],
    is_shortened: bool,
    indent: usize,
) -> String {
    let (size, inner) = match shape.split_first() {
        None => return element(start),
        Some((0, _)) => return "[]".into(),
        Some((&size, inner)) => (size as usize, inner),
    };
    let step = count / size;
    let mut parts = Vec::new();
    let mut i = 0;
    while i < size {
        if is_shortened && size > 2 * PRINTED_EDGE && i == PRINTED_EDGE {
            parts.push("...".into());
            i = size - PRINTED_EDGE;
        }
        parts.push(nested(element, start + i * step, step, inner, is_shortened, indent + 1));
        i += 1;
    }
    let between = match inner.len() {
        0 => ", ".into(),
        lines => format!(",{}{}", "\n".repeat(lines), " ".repeat(indent + 1)),
    };
    format!("[{}]", parts.join(&between))
}
