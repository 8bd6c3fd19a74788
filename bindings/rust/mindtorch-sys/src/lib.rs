//! MindTorch's C ABI, declared as its headers declare it. The crate `mindtorch` is the safe layer over it.
//!
//! `include/mindtorch/*.h` of the SDK documents every function; statuses, handles and ownership are those of C.

#![allow(non_camel_case_types, clippy::missing_safety_doc)]

mod abi;

pub use abi::*;
