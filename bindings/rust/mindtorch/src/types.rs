//! Dtypes, layouts, devices, numbers, generators and storages.

use std::fmt;

use mindtorch_sys as sys;

use crate::elements::Complex;
use crate::error::{c_string, check, text, Error, Result};

macro_rules! enumeration {
    ($(#[$about:meta])* $name:ident { $($variant:ident = $value:ident),* $(,)? }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        #[repr(i32)]
        pub enum $name { $($variant = sys::$value),* }

        impl $name {
            pub(crate) fn from_raw(number: i64) -> Result<$name> {
                $(if number == sys::$value as i64 { return Ok($name::$variant); })*
                Err(Error::new("ValueError", format!("{} {number} is unknown to this crate", stringify!($name))))
            }
        }
    };
}

enumeration! {
    /// The type of a tensor's elements.
    DType {
        Uint8 = MT_UINT8, Int8 = MT_INT8, Int16 = MT_INT16, Int32 = MT_INT32, Int64 = MT_INT64, Float16 = MT_FLOAT16,
        Float32 = MT_FLOAT32, Float64 = MT_FLOAT64, Complex32 = MT_COMPLEX32, Complex64 = MT_COMPLEX64,
        Complex128 = MT_COMPLEX128, Bool = MT_BOOL, BFloat16 = MT_BFLOAT16, Float8E5M2 = MT_FLOAT8_E5M2,
        Float8E4M3Fn = MT_FLOAT8_E4M3FN, Float8E5M2Fnuz = MT_FLOAT8_E5M2FNUZ, Float8E4M3Fnuz = MT_FLOAT8_E4M3FNUZ,
        Uint16 = MT_UINT16, Uint32 = MT_UINT32, Uint64 = MT_UINT64, Float8E8M0Fnu = MT_FLOAT8_E8M0FNU,
    }
}
enumeration! {
    /// How a tensor's elements are stored.
    Layout {
        Strided = MT_STRIDED, SparseCoo = MT_SPARSE_COO, SparseCsr = MT_SPARSE_CSR, SparseCsc = MT_SPARSE_CSC,
        SparseBsr = MT_SPARSE_BSR, SparseBsc = MT_SPARSE_BSC,
    }
}
enumeration! {
    /// The order of a tensor's dimensions in memory.
    MemoryFormat {
        Contiguous = MT_CONTIGUOUS_FORMAT, Preserve = MT_PRESERVE_FORMAT, ChannelsLast = MT_CHANNELS_LAST,
        ChannelsLast3d = MT_CHANNELS_LAST_3D,
    }
}

impl DType {
    /// The number of bytes of one element.
    pub fn size(self) -> usize {
        // Safety: the function takes any number.
        unsafe { sys::mt_dtype_size(self as i32) as usize }
    }

    pub fn is_complex(self) -> bool {
        matches!(self, DType::Complex32 | DType::Complex64 | DType::Complex128)
    }

    pub fn is_floating_point(self) -> bool {
        use DType::*;
        matches!(self, Float16 | Float32 | Float64 | BFloat16)
            || matches!(
                self,
                Float8E5M2 | Float8E4M3Fn | Float8E5M2Fnuz | Float8E4M3Fnuz | Float8E8M0Fnu
            )
    }
}

/// Torch's name without "torch.": `float32`.
impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Safety: the names are never freed.
        f.write_str(&unsafe { text(sys::mt_dtype_name(*self as i32)) })
    }
}

/// Where a tensor's memory is.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Device {
    kind: i32,
    index: i32,
}

impl Device {
    pub const CPU: Device = Device {
        kind: sys::MT_CPU,
        index: -1,
    };
    pub const META: Device = Device {
        kind: sys::MT_META,
        index: -1,
    };

    /// Reads `"cpu"`, `"npu:1"`, `"meta"`, with torch's errors.
    pub fn parse(text: &str) -> Result<Device> {
        let mut out = sys::mt_device { type_: 0, index: 0 };
        // Safety: the text ends with a NUL.
        check(unsafe { sys::mt_device_parse(c_string(text)?.as_ptr(), &mut out) })?;
        Ok(Device::from_c(out))
    }

    /// The number of the device; none for the current device of its type.
    pub fn index(self) -> Option<usize> {
        usize::try_from(self.index).ok()
    }

    pub fn is_cpu(self) -> bool {
        self.kind == sys::MT_CPU
    }

    pub(crate) fn c(self) -> sys::mt_device {
        sys::mt_device {
            type_: self.kind,
            index: self.index,
        }
    }

    pub(crate) fn from_c(device: sys::mt_device) -> Device {
        Device {
            kind: device.type_,
            index: device.index,
        }
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Safety: the names are never freed.
        f.write_str(&unsafe { text(sys::mt_device_type_name(self.kind)) })?;
        match self.index() {
            Some(index) => write!(f, ":{index}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    Bool(bool),
    Int(i64),
    /// Integers above `i64::MAX`; smaller ones are `Int`.
    Uint(u64),
    Float(f64),
    Complex(Complex<f64>),
}

macro_rules! scalar_from {
    ($variant:ident: $($kind:ty),*) => {
        $(impl From<$kind> for Scalar {
            fn from(number: $kind) -> Scalar {
                Scalar::$variant(number.into())
            }
        })*
    };
}
scalar_from!(Bool: bool);
scalar_from!(Int: i8, i16, i32, i64, u8, u16, u32);
scalar_from!(Float: f32, f64);

impl From<u64> for Scalar {
    fn from(number: u64) -> Scalar {
        i64::try_from(number).map_or(Scalar::Uint(number), Scalar::Int)
    }
}

impl From<Complex<f64>> for Scalar {
    fn from(number: Complex<f64>) -> Scalar {
        Scalar::Complex(number)
    }
}

macro_rules! counted {
    ($(#[$about:meta])* $name:ident, $raw:ident, $retain:ident, $release:ident) => {
        $(#[$about])*
        pub struct $name {
            pub(crate) handle: *mut sys::$raw,
        }

        // Safety: reference counts are atomic, and the library's functions may be called from any thread.
        unsafe impl Send for $name {}
        unsafe impl Sync for $name {}

        impl Clone for $name {
            fn clone(&self) -> $name {
                // Safety: the handle is valid as long as self.
                unsafe { sys::$retain(self.handle) };
                $name { handle: self.handle }
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                // Safety: self owns one reference.
                unsafe { sys::$release(self.handle) };
            }
        }
    };
}

counted! {
    /// A source of random numbers. Clones are handles of one generator.
    Generator, mt_generator, mt_generator_retain, mt_generator_release
}
counted! {
    /// The memory that a tensor and its views share.
    Storage, mt_storage, mt_storage_retain, mt_storage_release
}

impl Generator {
    /// A generator of a device, with the default seed.
    pub fn new(device: Device) -> Result<Generator> {
        let mut handle = std::ptr::null_mut();
        // Safety: the handle is written on success.
        check(unsafe { sys::mt_generator_create(device.c(), &mut handle) })?;
        Ok(Generator { handle })
    }

    /// The one that operators use unless they are given another.
    pub fn default_of_cpu() -> Result<Generator> {
        let mut handle = std::ptr::null_mut();
        // Safety: the handle is written on success.
        check(unsafe { sys::mt_generator_default(&mut handle) })?;
        Ok(Generator { handle })
    }

    /// Restarts the stream of random numbers.
    pub fn seed(&self, seed: u64) -> Result<()> {
        // Safety: the handle is valid.
        check(unsafe { sys::mt_generator_seed(self.handle, seed) })
    }
}

impl Storage {
    /// The number of bytes.
    pub fn nbytes(&self) -> Result<usize> {
        let mut out = 0;
        // Safety: the handle is valid.
        check(unsafe { sys::mt_storage_nbytes(self.handle, &mut out) })?;
        Ok(out as usize)
    }
}
