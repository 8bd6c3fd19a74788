//! Calls of operators: boxing of arguments, the cached lookup of each operator, and calls by name.

use std::ffi::CString;
use std::os::raw::{c_char, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

use mindtorch_sys as sys;

use crate::error::{c_string, check, Error, Result};
use crate::tensor::Tensor;
use crate::types::{DType, Device, Generator, Layout, MemoryFormat, Scalar, Storage};
use crate::value::{Arguments, Value};

// ---- boxing

/// What an operator takes, borrowed: the value is valid as long as its source.
pub(crate) trait Boxed {
    fn boxed(&self) -> sys::mt_value;
}

pub(crate) fn tagged(tag: i32) -> sys::mt_value {
    sys::mt_value {
        tag,
        flags: 0,
        as_: sys::mt_value_as { c: [0.0; 2] },
    }
}

fn tagged_int(tag: i32, number: i64) -> sys::mt_value {
    sys::mt_value {
        tag,
        flags: 0,
        as_: sys::mt_value_as { i: number },
    }
}

pub(crate) fn tagged_list<T>(tag: i32, list: &[T]) -> sys::mt_value {
    let list = sys::mt_value_as_list {
        data: list.as_ptr().cast::<c_void>(),
        size: list.len() as i64,
    };
    sys::mt_value {
        tag,
        flags: 0,
        as_: sys::mt_value_as { list },
    }
}

pub(crate) fn boxed_scalar(number: Scalar) -> sys::mt_value {
    match number {
        Scalar::Bool(on) => tagged_int(sys::MT_TAG_BOOL, i64::from(on)),
        Scalar::Int(number) => tagged_int(sys::MT_TAG_INT, number),
        Scalar::Uint(number) => {
            let mut value = tagged_int(sys::MT_TAG_INT, number as i64);
            value.flags = sys::MT_FLAG_UNSIGNED;
            value
        }
        Scalar::Float(number) => number.boxed(),
        Scalar::Complex(number) => {
            let mut value = tagged(sys::MT_TAG_COMPLEX);
            value.as_.c = [number.re, number.im];
            value
        }
    }
}

/// Omitted: torch's default.
pub(crate) fn or_default<T: Boxed>(value: Option<T>) -> sys::mt_value {
    value.map_or_else(|| tagged(sys::MT_TAG_DEFAULT), |value| value.boxed())
}

pub(crate) fn or_none<T: Boxed>(value: Option<T>) -> sys::mt_value {
    value.map_or_else(|| tagged(sys::MT_TAG_NONE), |value| value.boxed())
}

pub(crate) fn tensor_list(handles: &[*mut sys::mt_tensor]) -> sys::mt_value {
    tagged_list(sys::MT_TAG_TENSORS, handles)
}

pub(crate) fn optional_tensor_list(handles: &[*mut sys::mt_tensor]) -> sys::mt_value {
    tagged_list(sys::MT_TAG_OPTIONAL_TENSORS, handles)
}

pub(crate) fn scalars(numbers: &[Scalar]) -> Vec<sys::mt_value> {
    numbers.iter().map(|&number| boxed_scalar(number)).collect()
}

pub(crate) fn scalar_list(numbers: &[sys::mt_value]) -> sys::mt_value {
    tagged_list(sys::MT_TAG_SCALARS, numbers)
}

macro_rules! boxed {
    ($($kind:ty: |$self:ident| $value:expr;)*) => {
        $(impl Boxed for $kind {
            fn boxed(&self) -> sys::mt_value {
                let $self = self;
                $value
            }
        })*
    };
}
boxed! {
    Scalar: |number| boxed_scalar(*number);
    i64: |number| tagged_int(sys::MT_TAG_INT, *number);
    bool: |on| tagged_int(sys::MT_TAG_BOOL, i64::from(*on));
    f64: |number| sys::mt_value { tag: sys::MT_TAG_DOUBLE, flags: 0, as_: sys::mt_value_as { d: *number } };
    DType: |dtype| tagged_int(sys::MT_TAG_DTYPE, *dtype as i64);
    Layout: |layout| tagged_int(sys::MT_TAG_LAYOUT, *layout as i64);
    MemoryFormat: |format| tagged_int(sys::MT_TAG_MEMORY_FORMAT, *format as i64);
    Device: |device| sys::mt_value { tag: sys::MT_TAG_DEVICE, flags: 0, as_: sys::mt_value_as { device: device.c() } };
    Tensor: |tensor| sys::mt_value { tag: sys::MT_TAG_TENSOR, flags: 0, as_: sys::mt_value_as { tensor: tensor.handle() } };
    Generator: |it| sys::mt_value { tag: sys::MT_TAG_GENERATOR, flags: 0, as_: sys::mt_value_as { generator: it.handle } };
    Storage: |it| sys::mt_value { tag: sys::MT_TAG_STORAGE, flags: 0, as_: sys::mt_value_as { storage: it.handle } };
    str: |text| {
        let string = sys::mt_value_as_string { data: text.as_ptr().cast::<c_char>(), size: text.len() as i64 };
        sys::mt_value { tag: sys::MT_TAG_STRING, flags: 0, as_: sys::mt_value_as { string } }
    };
    [i64]: |numbers| tagged_list(sys::MT_TAG_INTS, numbers);
    [f64]: |numbers| tagged_list(sys::MT_TAG_DOUBLES, numbers);
    [bool]: |bools| tagged_list(sys::MT_TAG_BOOLS, bools);
}

impl<T: Boxed + ?Sized> Boxed for &T {
    fn boxed(&self) -> sys::mt_value {
        (**self).boxed()
    }
}

// ---- results

/// Takes over a result that must be a tensor.
pub(crate) fn tensor(mut value: sys::mt_value) -> Result<Tensor> {
    // Safety: the value is an owned result.
    unsafe {
        if value.tag == sys::MT_TAG_TENSOR {
            return Ok(Tensor::own(value.as_.tensor));
        }
        sys::mt_value_clear(&mut value);
    }
    Err(Error::new(
        "RuntimeError",
        "the operator returned none instead of a tensor",
    ))
}

pub(crate) fn tensors(value: sys::mt_value) -> Result<Vec<Tensor>> {
    // Safety: the value is an owned result.
    match unsafe { Value::take(value) }? {
        Value::Tensors(tensors) => Ok(tensors),
        _ => Err(Error::new("RuntimeError", "the operator returned no list of tensors")),
    }
}

pub(crate) fn int(value: sys::mt_value) -> Result<i64> {
    // Safety: all members of the union are numbers or pointers of the same size.
    Ok(unsafe { value.as_.i })
}

pub(crate) fn bool(value: sys::mt_value) -> Result<bool> {
    int(value).map(|number| number != 0)
}

pub(crate) fn dtype(value: sys::mt_value) -> Result<DType> {
    int(value).and_then(DType::from_raw)
}

// ---- calls

/// Where an operator is called: its name, and the operator after the first call.
pub(crate) struct Site {
    name: &'static str,
    overload: &'static str,
    op: AtomicPtr<sys::mt_op>,
}

impl Site {
    pub const fn new(name: &'static str, overload: &'static str) -> Site {
        Site {
            name,
            overload,
            op: AtomicPtr::new(std::ptr::null_mut()),
        }
    }

    fn find(&self) -> Result<*const sys::mt_op> {
        let op = self.op.load(Ordering::Acquire);
        if !op.is_null() {
            return Ok(op);
        }
        let op = find(self.name, self.overload)?;
        self.op.store(op as *mut sys::mt_op, Ordering::Release);
        Ok(op)
    }

    /// Calls an operator with N results. The values point to what the caller borrows.
    pub fn call<const N: usize>(&self, values: &[sys::mt_value]) -> Result<[sys::mt_value; N]> {
        let mut results = [tagged(sys::MT_TAG_NONE); N];
        let mut count = 0;
        // Safety: the values are valid, and the results have room for N.
        check(unsafe {
            let n = values.len() as i64;
            sys::mt_op_call(
                self.find()?,
                values.as_ptr(),
                n,
                results.as_mut_ptr(),
                N as i64,
                &mut count,
            )
        })?;
        Ok(results)
    }

    pub fn one(&self, values: &[sys::mt_value]) -> Result<Tensor> {
        let [result] = self.call(values)?;
        tensor(result)
    }

    /// Calls an operator whose N results are not wanted.
    pub fn nothing<const N: usize>(&self, values: &[sys::mt_value]) -> Result<()> {
        for mut result in self.call::<N>(values)? {
            // Safety: the value is an owned result.
            unsafe { sys::mt_value_clear(&mut result) };
        }
        Ok(())
    }
}

fn find(name: &str, overload: &str) -> Result<*const sys::mt_op> {
    let mut op = std::ptr::null();
    // Safety: the texts end with a NUL.
    check(unsafe { sys::mt_op_find(c_string(name)?.as_ptr(), c_string(overload)?.as_ptr(), &mut op) })?;
    Ok(op)
}

/// Calls an operator by the name and the overload of its schema, with positional and named arguments, and returns all results:
/// `call("add", "Tensor", &[(&a).into(), (&b).into()], &[("alpha", 2.into())])`.
pub fn call(name: &str, overload: &str, arguments: &[Value], named: &[(&str, Value)]) -> Result<Vec<Value>> {
    let op = find(name, overload)?;
    let (positional, keywords) = (
        Arguments::new(arguments),
        Arguments::new(named.iter().map(|(_, value)| value)),
    );
    let texts = named
        .iter()
        .map(|(name, _)| c_string(name))
        .collect::<Result<Vec<CString>>>()?;
    let names: Vec<*const c_char> = texts.iter().map(|text| text.as_ptr()).collect();
    // Safety: zeros are valid for the struct.
    let mut info: sys::mt_op_info = unsafe { std::mem::zeroed() };
    info.struct_size = std::mem::size_of_val(&info);
    // Safety: the operator is never freed, and all pointers are valid during the calls.
    unsafe {
        check(sys::mt_op_get_info(op, &mut info))?;
        let mut results = vec![tagged(sys::MT_TAG_NONE); info.n_returns as usize];
        let mut count = 0;
        check(sys::mt_op_call_named(
            op,
            positional.values.as_ptr(),
            positional.values.len() as i64,
            names.as_ptr(),
            keywords.values.as_ptr(),
            names.len() as i64,
            results.as_mut_ptr(),
            results.len() as i64,
            &mut count,
        ))?;
        results.truncate(count as usize);
        // All are taken before the first error returns, so that none leaks.
        let taken: Vec<Result<Value>> = results.into_iter().map(|result| Value::take(result)).collect();
        taken.into_iter().collect()
    }
}
