//! The tensor handle, its properties, and arithmetic.

use std::ops::{Add, Div, Mul, Neg, Sub};
use std::ptr::NonNull;

use mindtorch_sys as sys;

use crate::error::{check, Result};
use crate::types::{DType, Device, Layout, Scalar, Storage};

/// A handle of a tensor. `clone` adds a handle; the elements are shared.
#[repr(transparent)]
pub struct Tensor(NonNull<sys::mt_tensor>);

// Safety: reference counts are atomic, and the library may be called from any thread. See the crate's page for writes to elements.
unsafe impl Send for Tensor {}
unsafe impl Sync for Tensor {}

impl Clone for Tensor {
    fn clone(&self) -> Tensor {
        // Safety: the handle is valid as long as self.
        unsafe { sys::mt_tensor_retain(self.handle()) };
        Tensor(self.0)
    }
}

impl Drop for Tensor {
    fn drop(&mut self) {
        // Safety: self owns one reference.
        unsafe { sys::mt_tensor_release(self.handle()) };
    }
}

impl Tensor {
    /// The handle for functions of `mindtorch-sys`, borrowed.
    pub fn handle(&self) -> *mut sys::mt_tensor {
        self.0.as_ptr()
    }

    /// Takes over a reference that the library returned.
    pub(crate) fn own(handle: *mut sys::mt_tensor) -> Tensor {
        Tensor::own_or_none(handle).expect("the library returned a tensor")
    }

    pub(crate) fn own_or_none(handle: *mut sys::mt_tensor) -> Option<Tensor> {
        NonNull::new(handle).map(Tensor)
    }

    /// Safety: the handle is valid.
    pub(crate) unsafe fn share(handle: *mut sys::mt_tensor) -> Tensor {
        sys::mt_tensor_retain(handle);
        Tensor::own(handle)
    }

    /// Takes over a reference that a C function returned.
    ///
    /// # Safety
    ///
    /// The handle is valid, and nobody else releases this reference.
    pub unsafe fn from_handle(handle: NonNull<sys::mt_tensor>) -> Tensor {
        Tensor(handle)
    }

    fn info(&self) -> sys::mt_tensor_info {
        // Safety: zeros are valid for the struct, and the handle is valid, so that the call cannot fail.
        unsafe {
            let mut info: sys::mt_tensor_info = std::mem::zeroed();
            info.struct_size = std::mem::size_of_val(&info);
            check(sys::mt_tensor_get_info(self.handle(), &mut info)).expect("a live tensor can be described");
            info
        }
    }

    pub fn shape(&self) -> Vec<i64> {
        let info = self.info();
        // Safety: the sizes are valid as long as the tensor is not resized.
        unsafe { list(info.sizes, info.ndim) }
    }

    /// The distances of neighbours in each dimension, in elements.
    pub fn strides(&self) -> Vec<i64> {
        let info = self.info();
        // Safety: as above.
        unsafe { list(info.strides, info.ndim) }
    }

    /// The number of dimensions.
    pub fn ndim(&self) -> i64 {
        self.info().ndim
    }

    /// The number of elements.
    pub fn numel(&self) -> i64 {
        self.info().numel
    }

    /// The position of the first element in the storage, in elements.
    pub fn storage_offset(&self) -> i64 {
        self.info().storage_offset
    }

    pub fn dtype(&self) -> DType {
        DType::from_raw(i64::from(self.info().dtype)).expect("a tensor's dtype is known")
    }

    pub fn device(&self) -> Device {
        Device::from_c(self.info().device)
    }

    pub fn layout(&self) -> Layout {
        Layout::from_raw(i64::from(self.info().layout)).expect("a tensor's layout is known")
    }

    pub(crate) fn has_flag(&self, flag: i32) -> bool {
        self.info().flags & flag as u32 != 0
    }

    /// Whether the elements are in memory in the order of their indices.
    pub fn is_contiguous(&self) -> bool {
        self.has_flag(sys::MT_TENSOR_IS_CONTIGUOUS)
    }

    /// Whether operators on the tensor are recorded for `backward`.
    pub fn requires_grad(&self) -> bool {
        self.has_flag(sys::MT_TENSOR_REQUIRES_GRAD)
    }

    /// Whether the tensor is not the result of a recorded operator.
    pub fn is_leaf(&self) -> bool {
        self.has_flag(sys::MT_TENSOR_IS_LEAF)
    }

    pub fn storage(&self) -> Result<Storage> {
        let mut handle = std::ptr::null_mut();
        // Safety: the handle is written on success.
        check(unsafe { sys::mt_tensor_storage(self.handle(), &mut handle) })?;
        Ok(Storage { handle })
    }
}

/// Safety: `data` points to `n` numbers.
pub(crate) unsafe fn list(data: *const i64, n: i64) -> Vec<i64> {
    if n == 0 {
        return Vec::new();
    }
    std::slice::from_raw_parts(data, n as usize).to_vec()
}

macro_rules! arithmetic {
    ($($operation:ident $function:ident $with_scalar:ident;)*) => {
        $(
            /// Panics where the method of the same name returns an error.
            impl $operation<&Tensor> for &Tensor {
                type Output = Tensor;
                #[track_caller]
                fn $function(self, other: &Tensor) -> Tensor {
                    unwrap(Tensor::$function(self, other))
                }
            }

            impl<T: Into<Scalar>> $operation<T> for &Tensor {
                type Output = Tensor;
                #[track_caller]
                fn $function(self, other: T) -> Tensor {
                    unwrap(self.$with_scalar(other))
                }
            }
        )*
    };
}
arithmetic! {
    Add add add_scalar;
    Sub sub sub_scalar;
    Mul mul mul_scalar;
    Div div div_scalar;
}

impl Neg for &Tensor {
    type Output = Tensor;
    #[track_caller]
    fn neg(self) -> Tensor {
        unwrap(Tensor::neg(self))
    }
}

#[track_caller]
fn unwrap(result: Result<Tensor>) -> Tensor {
    match result {
        Ok(tensor) => tensor,
        Err(error) => panic!("{error}"),
    }
}
