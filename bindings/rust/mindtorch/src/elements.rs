//! Tensors from and to slices.

use std::mem::size_of;
use std::os::raw::c_void;

use mindtorch_sys as sys;

use crate::autograd::no_grad;
use crate::error::{check, Error, Result};
use crate::ops::ToDtypeLayoutOptions;
use crate::tensor::Tensor;
use crate::types::{DType, Device};

/// A complex number, as C and torch lay it out.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Complex<T> {
    pub re: T,
    pub im: T,
}

mod sealed {
    pub trait Sealed: Copy {
        /// Copies elements of a tensor.
        ///
        /// Safety: there are `count` elements to read and room for as many.
        unsafe fn copy(from: *const Self, to: *mut Self, count: usize) {
            std::ptr::copy_nonoverlapping(from, to, count);
        }
    }

    impl Sealed for bool {
        // Any byte but 0 is true in a tensor, and Rust allows 0 and 1 only.
        unsafe fn copy(from: *const bool, to: *mut bool, count: usize) {
            for i in 0..count {
                *to.add(i) = *from.cast::<u8>().add(i) != 0;
            }
        }
    }
}

/// A type that elements can have.
pub trait Element: Copy + Default + Send + Sync + sealed::Sealed + 'static {
    const DTYPE: DType;
}

impl Element for bool {
    const DTYPE: DType = DType::Bool;
}

macro_rules! element {
    ($($kind:ty = $dtype:ident),* $(,)?) => {
        $(impl sealed::Sealed for $kind {}
        impl Element for $kind {
            const DTYPE: DType = DType::$dtype;
        })*
    };
}
element!(
    i8 = Int8, i16 = Int16, i32 = Int32, i64 = Int64, u8 = Uint8, u16 = Uint16, u32 = Uint32, u64 = Uint64,
    f32 = Float32, f64 = Float64, Complex<f32> = Complex64, Complex<f64> = Complex128,
);

/// Whether `T` reads the bits of a dtype that Rust lacks.
fn reads_bits<T: Element>(dtype: DType) -> bool {
    use DType::*;
    match T::DTYPE {
        Uint16 => matches!(dtype, Float16 | BFloat16),
        Uint32 => matches!(dtype, Complex32),
        Uint8 => matches!(
            dtype,
            Float8E5M2 | Float8E4M3Fn | Float8E5M2Fnuz | Float8E4M3Fnuz | Float8E8M0Fnu
        ),
        _ => false,
    }
}

impl Tensor {
    /// A tensor with a copy of the elements; an empty shape is one element without dimensions.
    pub fn from_slice<T: Element>(elements: &[T], shape: &[i64]) -> Result<Tensor> {
        Tensor::from_raw(elements, T::DTYPE, shape)
    }

    /// A tensor without dimensions.
    pub fn from_scalar<T: Element>(element: T) -> Result<Tensor> {
        Tensor::from_slice(&[element], &[])
    }

    /// A tensor of a dtype that Rust lacks from the bits of its elements, for example `Float16` and `BFloat16` from `u16`.
    pub fn from_raw<T: Element>(elements: &[T], dtype: DType, shape: &[i64]) -> Result<Tensor> {
        if size_of::<T>() != dtype.size() {
            let words = format!(
                "{dtype} has elements of {} bytes, not of {}",
                dtype.size(),
                size_of::<T>()
            );
            return Err(Error::new("TypeError", words));
        }
        let count = shape.iter().try_fold(
            1i64,
            |product, &size| if size < 0 { None } else { product.checked_mul(size) },
        );
        if count.map(|count| count as usize) != Some(elements.len()) {
            let words = format!("the shape {shape:?} does not fit {} elements", elements.len());
            return Err(Error::new("RuntimeError", words));
        }
        let mut out = std::ptr::null_mut();
        // Safety: `elements` has as many elements of the dtype's size as the shape says.
        check(unsafe {
            let data = elements.as_ptr().cast::<c_void>();
            sys::mt_tensor_from_copy(data, shape.as_ptr(), shape.len() as i64, dtype as i32, &mut out)
        })?;
        Ok(Tensor::own(out))
    }

    /// A copy of the elements in the order of their indices. `T` must be their type; `u16`, `u32` and `u8` also read the bits of
    /// 16-bit floating-point, `Complex32` and float8 elements.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        self.with_elements(|elements, count| {
            let mut out = Vec::with_capacity(count);
            // Safety: the elements are valid during the call, and the vector has room for them.
            unsafe {
                T::copy(elements, out.as_mut_ptr(), count);
                out.set_len(count);
            }
            out
        })
    }

    /// Copies the elements to a slice of their number.
    pub fn copy_to_slice<T: Element>(&self, to: &mut [T]) -> Result<()> {
        let length = to.len();
        let copied = self.with_elements(|elements, count| {
            let fits = count == length;
            if fits {
                // Safety: the elements are valid during the call, and the slice has as many.
                unsafe { T::copy(elements, to.as_mut_ptr(), count) };
            }
            fits
        })?;
        if copied {
            return Ok(());
        }
        Err(Error::new(
            "ValueError",
            format!("the tensor has {} elements, and the slice {length}", self.numel()),
        ))
    }

    /// The elements converted to `f64`.
    pub fn to_f64s(&self) -> Result<Vec<f64>> {
        self.to_dtype(DType::Float64)?.to_vec()
    }

    /// The number in a tensor with one element; `T` must be its type.
    pub fn item<T: Element>(&self) -> Result<T> {
        match self.to_vec()?[..] {
            [element] => Ok(element),
            _ => {
                let words = format!("a Tensor with {} elements cannot be converted to Scalar", self.numel());
                Err(Error::new("RuntimeError", words))
            }
        }
    }

    /// Passes the address and the number of the elements, which are valid during the call.
    fn with_elements<T: Element, R>(&self, using: impl FnOnce(*const T, usize) -> R) -> Result<R> {
        let dtype = self.dtype();
        if dtype != T::DTYPE && !reads_bits::<T>(dtype) {
            return Err(Error::new(
                "TypeError",
                format!("the elements are {dtype}, not {}", T::DTYPE),
            ));
        }
        let plain = self.plain()?;
        let mut data = std::ptr::null_mut::<c_void>();
        // Safety: the handle is valid.
        check(unsafe { sys::mt_tensor_data(plain.handle(), &mut data) })?;
        // `plain` keeps the memory. Without elements there may be none, and even a copy of nothing needs an address.
        Ok(match plain.numel() as usize {
            0 => using(std::ptr::NonNull::dangling().as_ptr(), 0),
            count => using(data.cast::<T>(), count),
        })
    }

    /// A tensor on the CPU whose memory holds the elements in order: this one, or a copy.
    fn plain(&self) -> Result<Tensor> {
        let special = sys::MT_TENSOR_IS_CONJ | sys::MT_TENSOR_IS_NEG;
        if self.device().is_cpu() && self.is_contiguous() && !self.has_flag(special) {
            return Ok(self.clone());
        }
        let _guard = no_grad();
        let here = ToDtypeLayoutOptions {
            device: Some(Device::CPU),
            ..Default::default()
        };
        self.to_dtype_layout_with(here)?
            .resolve_conj()?
            .resolve_neg()?
            .contiguous()
    }
}

/// A tensor with one dimension.
impl<T: Element> TryFrom<&[T]> for Tensor {
    type Error = Error;
    fn try_from(elements: &[T]) -> Result<Tensor> {
        Tensor::from_slice(elements, &[elements.len() as i64])
    }
}

impl<T: Element, const N: usize> TryFrom<[T; N]> for Tensor {
    type Error = Error;
    fn try_from(elements: [T; N]) -> Result<Tensor> {
        Tensor::try_from(&elements[..])
    }
}

impl<T: Element> TryFrom<Vec<T>> for Tensor {
    type Error = Error;
    fn try_from(elements: Vec<T>) -> Result<Tensor> {
        Tensor::try_from(&elements[..])
    }
}

impl<T: Element> TryFrom<&Tensor> for Vec<T> {
    type Error = Error;
    fn try_from(tensor: &Tensor) -> Result<Vec<T>> {
        tensor.to_vec()
    }
}
