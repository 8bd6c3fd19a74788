//! mindtorch-sys declares what the library has.

use mindtorch_sys as sys;

#[test]
fn structs_have_the_sizes_of_c() {
    assert_eq!(std::mem::size_of::<sys::mt_value>(), 24); // base.h
    assert_eq!(std::mem::size_of::<sys::mt_device>(), 8);
}

#[test]
fn constants_are_those_of_the_library() {
    // Safety: the functions take any number, and the text is never freed.
    unsafe {
        assert_eq!(sys::mt_abi_version(), sys::MT_ABI_VERSION);
        assert_eq!(sys::mt_dtype_size(sys::MT_COMPLEX128), 16);
        assert_eq!(sys::mt_dtype_size(sys::MT_FLOAT8_E8M0FNU), 1);
        let name = std::ffi::CStr::from_ptr(sys::mt_device_type_name(sys::MT_NPU));
        assert_eq!(name.to_str(), Ok("npu"));
    }
}
