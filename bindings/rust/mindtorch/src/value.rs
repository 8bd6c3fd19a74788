//! Boxed values: the arguments and results of operators that are called by name, and of operators written in Rust.

use mindtorch_sys as sys;

use crate::elements::Complex;
use crate::error::{Error, Result};
use crate::operator::{boxed_scalar, tagged, tagged_list, Boxed};
use crate::tensor::{list, Tensor};
use crate::types::{DType, Device, Generator, Layout, MemoryFormat, Scalar, Storage};

/// An argument or a result of an operator.
#[derive(Clone)]
pub enum Value {
    None,
    Scalar(Scalar),
    DType(DType),
    Layout(Layout),
    MemoryFormat(MemoryFormat),
    Device(Device),
    String(String),
    Tensor(Tensor),
    Generator(Generator),
    Storage(Storage),
    Ints(Vec<i64>),
    Floats(Vec<f64>),
    Bools(Vec<bool>),
    Tensors(Vec<Tensor>),
    OptionalTensors(Vec<Option<Tensor>>),
    Scalars(Vec<Scalar>),
    Strings(Vec<String>),
}

macro_rules! value_from {
    ($($kind:ty => $variant:ident),* $(,)?) => {
        $(impl From<$kind> for Value {
            fn from(value: $kind) -> Value {
                Value::$variant(value.into())
            }
        })*
    };
}
value_from!(
    bool => Scalar, i32 => Scalar, i64 => Scalar, f32 => Scalar, f64 => Scalar, Scalar => Scalar, DType => DType,
    Layout => Layout, MemoryFormat => MemoryFormat, Device => Device, &str => String, String => String, Tensor => Tensor,
    Generator => Generator, Storage => Storage, Vec<i64> => Ints, &[i64] => Ints, Vec<f64> => Floats, &[f64] => Floats,
    Vec<bool> => Bools, Vec<Tensor> => Tensors, Vec<Option<Tensor>> => OptionalTensors, Vec<Scalar> => Scalars,
    Vec<String> => Strings,
);

impl From<&Tensor> for Value {
    fn from(tensor: &Tensor) -> Value {
        Value::Tensor(tensor.clone())
    }
}

impl<const N: usize> From<[i64; N]> for Value {
    fn from(numbers: [i64; N]) -> Value {
        Value::Ints(numbers.into())
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Value {
        value.map_or(Value::None, Into::into)
    }
}

impl Value {
    /// The tensor that it must be.
    pub fn tensor(&self) -> Result<&Tensor> {
        match self {
            Value::Tensor(tensor) => Ok(tensor),
            _ => Err(Error::new("TypeError", "the value is not a tensor")),
        }
    }

    /// The number that it must be, as `f64`.
    pub fn float(&self) -> Result<f64> {
        match *self {
            Value::Scalar(Scalar::Float(number)) => Ok(number),
            Value::Scalar(Scalar::Int(number)) => Ok(number as f64),
            Value::Scalar(Scalar::Uint(number)) => Ok(number as f64),
            Value::Scalar(Scalar::Bool(on)) => Ok(f64::from(u8::from(on))),
            _ => Err(Error::new("TypeError", "the value is not a real number")),
        }
    }

    /// A copy of a borrowed value.
    ///
    /// Safety: the value is valid.
    pub(crate) unsafe fn of(value: &sys::mt_value) -> Result<Value> {
        let number = value.as_.i;
        Ok(match value.tag {
            sys::MT_TAG_NONE | sys::MT_TAG_DEFAULT => Value::None,
            sys::MT_TAG_BOOL => Value::Scalar(Scalar::Bool(number != 0)),
            sys::MT_TAG_INT if value.flags & sys::MT_FLAG_UNSIGNED != 0 => Value::Scalar((number as u64).into()),
            sys::MT_TAG_INT => Value::Scalar(Scalar::Int(number)),
            sys::MT_TAG_DOUBLE => Value::Scalar(Scalar::Float(value.as_.d)),
            sys::MT_TAG_COMPLEX => Value::Scalar(Scalar::Complex(Complex {
                re: value.as_.c[0],
                im: value.as_.c[1],
            })),
            sys::MT_TAG_DTYPE => Value::DType(DType::from_raw(number)?),
            sys::MT_TAG_LAYOUT => Value::Layout(Layout::from_raw(number)?),
            sys::MT_TAG_MEMORY_FORMAT => Value::MemoryFormat(MemoryFormat::from_raw(number)?),
            sys::MT_TAG_DEVICE => Value::Device(Device::from_c(value.as_.device)),
            sys::MT_TAG_STRING => {
                let text = items(value.as_.string.data.cast::<u8>(), value.as_.string.size);
                Value::String(String::from_utf8_lossy(text).into_owned())
            }
            sys::MT_TAG_TENSOR => Value::Tensor(Tensor::share(value.as_.tensor)),
            sys::MT_TAG_GENERATOR => {
                sys::mt_generator_retain(value.as_.generator);
                Value::Generator(Generator {
                    handle: value.as_.generator,
                })
            }
            sys::MT_TAG_STORAGE => {
                sys::mt_storage_retain(value.as_.storage);
                Value::Storage(Storage {
                    handle: value.as_.storage,
                })
            }
            sys::MT_TAG_INTS => Value::Ints(list(value.as_.list.data.cast(), value.as_.list.size)),
            sys::MT_TAG_DOUBLES => Value::Floats(elements::<f64>(value).to_vec()),
            sys::MT_TAG_BOOLS => Value::Bools(elements::<u8>(value).iter().map(|&on| on != 0).collect()),
            sys::MT_TAG_TENSORS => Value::Tensors(
                elements::<*mut sys::mt_tensor>(value)
                    .iter()
                    .map(|&handle| Tensor::share(handle))
                    .collect(),
            ),
            sys::MT_TAG_OPTIONAL_TENSORS => {
                let share = |&handle: &*mut sys::mt_tensor| (!handle.is_null()).then(|| Tensor::share(handle));
                Value::OptionalTensors(elements(value).iter().map(share).collect())
            }
            sys::MT_TAG_SCALARS => {
                let mut numbers = Vec::new();
                for item in elements::<sys::mt_value>(value) {
                    if let Value::Scalar(number) = Value::of(item)? {
                        numbers.push(number);
                    }
                }
                Value::Scalars(numbers)
            }
            sys::MT_TAG_STRINGS => {
                let mut texts = Vec::new();
                for item in elements::<sys::mt_value>(value) {
                    if let Value::String(text) = Value::of(item)? {
                        texts.push(text);
                    }
                }
                Value::Strings(texts)
            }
            tag => {
                return Err(Error::new(
                    "NotImplementedError",
                    format!("values with tag {tag} are unknown to this crate"),
                ))
            }
        })
    }

    /// Takes over a result.
    ///
    /// Safety: the value is valid and owned.
    pub(crate) unsafe fn take(mut value: sys::mt_value) -> Result<Value> {
        let taken = Value::of(&value);
        sys::mt_value_clear(&mut value);
        taken
    }
}

/// Safety: the value is a list of T.
unsafe fn elements<T>(value: &sys::mt_value) -> &[T] {
    items(value.as_.list.data.cast(), value.as_.list.size)
}

/// Safety: `data` points to `n` items, or n is 0.
unsafe fn items<'a, T>(data: *const T, n: i64) -> &'a [T] {
    if n == 0 {
        return &[];
    }
    std::slice::from_raw_parts(data, n as usize)
}

/// Values for C, with the memory that they point to.
pub(crate) struct Arguments {
    pub values: Vec<sys::mt_value>,
    handles: Vec<Vec<*mut sys::mt_tensor>>,
    nested: Vec<Vec<sys::mt_value>>,
}

impl Arguments {
    /// Borrows from the values.
    pub fn new<'a>(values: impl IntoIterator<Item = &'a Value>) -> Arguments {
        let mut arguments = Arguments {
            values: Vec::new(),
            handles: Vec::new(),
            nested: Vec::new(),
        };
        for value in values {
            let boxed = arguments.boxed(value);
            arguments.values.push(boxed);
        }
        arguments
    }

    fn boxed(&mut self, value: &Value) -> sys::mt_value {
        match value {
            Value::None => tagged(sys::MT_TAG_NONE),
            Value::Scalar(number) => boxed_scalar(*number),
            Value::DType(dtype) => dtype.boxed(),
            Value::Layout(layout) => layout.boxed(),
            Value::MemoryFormat(format) => format.boxed(),
            Value::Device(device) => device.boxed(),
            Value::String(text) => text.as_str().boxed(),
            Value::Tensor(tensor) => tensor.boxed(),
            Value::Generator(generator) => generator.boxed(),
            Value::Storage(storage) => storage.boxed(),
            Value::Ints(numbers) => numbers.as_slice().boxed(),
            Value::Floats(numbers) => numbers.as_slice().boxed(),
            Value::Bools(bools) => bools.as_slice().boxed(),
            Value::Tensors(tensors) => {
                self.keep_handles(sys::MT_TAG_TENSORS, tensors.iter().map(Tensor::handle).collect())
            }
            Value::OptionalTensors(tensors) => {
                let handle = |tensor: &Option<Tensor>| tensor.as_ref().map_or(std::ptr::null_mut(), Tensor::handle);
                self.keep_handles(sys::MT_TAG_OPTIONAL_TENSORS, tensors.iter().map(handle).collect())
            }
            Value::Scalars(numbers) => self.keep_nested(
                sys::MT_TAG_SCALARS,
                numbers.iter().map(|&number| boxed_scalar(number)).collect(),
            ),
            Value::Strings(texts) => self.keep_nested(
                sys::MT_TAG_STRINGS,
                texts.iter().map(|text| text.as_str().boxed()).collect(),
            ),
        }
    }

    fn keep_handles(&mut self, tag: i32, handles: Vec<*mut sys::mt_tensor>) -> sys::mt_value {
        self.handles.push(handles);
        tagged_list(tag, self.handles.last().expect("it was pushed"))
    }

    fn keep_nested(&mut self, tag: i32, values: Vec<sys::mt_value>) -> sys::mt_value {
        self.nested.push(values);
        tagged_list(tag, self.nested.last().expect("it was pushed"))
    }
}
