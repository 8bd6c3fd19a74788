//! Settings and facts of the whole library.

use mindtorch_sys as sys;

use crate::error::{check, text, Result};
use crate::types::{DType, Generator};

/// The library's version.
pub fn version() -> String {
    // Safety: the text is never freed.
    unsafe { text(sys::mt_version()) }
}

/// The generation of the library's C ABI.
pub fn abi_version() -> i32 {
    // Safety: there is nothing to get wrong; the same holds for the functions below.
    unsafe { sys::mt_abi_version() }
}

/// The number of threads that operators use.
pub fn threads() -> i32 {
    unsafe { sys::mt_threads_get() }
}

pub fn set_threads(n: i32) -> Result<()> {
    check(unsafe { sys::mt_threads_set(n) })
}

/// The dtype of new floating-point tensors.
pub fn default_dtype() -> DType {
    DType::from_raw(i64::from(unsafe { sys::mt_default_dtype_get() })).expect("a default dtype is a dtype")
}

/// Sets the dtype of new floating-point tensors, for the whole process.
pub fn set_default_dtype(dtype: DType) -> Result<()> {
    check(unsafe { sys::mt_default_dtype_set(dtype as i32) })
}

/// Seeds the default generator, as `torch.manual_seed` does.
pub fn manual_seed(seed: u64) -> Result<()> {
    Generator::default_of_cpu()?.seed(seed)
}

/// The number of bytes that tensors on the CPU use.
pub fn allocated_bytes() -> i64 {
    // Safety: zeros are valid for the struct; struct_size says how much of it may be written.
    let mut stats: sys::mt_allocator_stats = unsafe { std::mem::zeroed() };
    stats.struct_size = std::mem::size_of_val(&stats);
    unsafe { sys::mt_status_release(sys::mt_allocator_get_stats(&mut stats)) };
    stats.allocated_bytes
}

/// Returns memory that the allocator keeps for new tensors to the system.
pub fn empty_cache() -> Result<()> {
    check(unsafe { sys::mt_allocator_empty_cache() })
}
