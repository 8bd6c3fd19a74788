//! PyTorch's eager runtime for Rust: tensors, all of torch's operators, gradients and checkpoints, through the C library libmindtorch.
//!
//! ```no_run
//! use mindtorch::{AddOptions, Tensor};
//!
//! fn main() -> mindtorch::Result<()> {
//!     let x = Tensor::from_slice(&[1f32, 2.0, 3.0, 4.0], &[2, 2])?;
//!     let y = x.add_with(&x, AddOptions { alpha: Some(2.into()), ..Default::default() })?;
//!     println!("{y}, {}", (&y * &x).sum()?.item::<f32>()?);
//!     Ok(())
//! }
//! ```
//!
//! # Operators
//!
//! Every operator of torch is a method of its first tensor, or a function in [`ops`] if it has none. Other overloads have torch's name
//! of the overload behind the operator's name (`add_scalar`, `sum_dim_int_list`); names that end in `_` write into their tensor, those that
//! end in `_out` into given ones. A method takes the required arguments; its `_with` form also takes a struct of the optional ones,
//! in which `None` is torch's default. [`call`] calls any operator by the name in its schema. `+ - * /` and unary `-` work on references
//! and panic where the method returns an error.
//!
//! # Memory and threads
//!
//! Dropping the last handle of a tensor frees it; `clone` adds a handle, and [`Tensor::deep_clone`] copies the elements. Tensors are `Send`
//! and `Sync`: counters are atomic, and the library may be called from any thread. Elements are not protected, neither between clones nor
//! between views: a thread that writes (a method that ends in `_`, `backward`) while another one uses the same memory is a race that
//! the compiler does not see, as in C. Modes ([`no_grad`]) belong to the thread that set them.

mod autograd;
mod callbacks;
mod checkpoint;
mod distributed;
mod elements;
mod error;
mod format;
mod library;
pub mod ops;
mod operator;
mod tensor;
mod types;
mod value;

pub use autograd::{backward, enable_grad, grad_enabled, gradients, inference_mode, no_grad, GraphOptions, ModeGuard};
pub use callbacks::{define, define_with_derivative, HookId};
pub use checkpoint::{load, save, Checkpoint, Entry, Format, Object, OpenOptions, SaveOptions};
pub use distributed::{Group, Reduction, Store};
pub use elements::{Complex, Element};
pub use error::{Error, Result};
pub use library::{
    abi_version, allocated_bytes, default_dtype, empty_cache, manual_seed, set_default_dtype, set_threads, threads, version,
};
pub use operator::call;
pub use ops::*;
pub use tensor::Tensor;
pub use types::{DType, Device, Generator, Layout, MemoryFormat, Scalar, Storage};
pub use value::Value;
