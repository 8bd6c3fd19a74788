//! What becomes of the errors of callbacks, and of the causes of errors.

use std::error::Error as _;
use std::fmt;
use std::os::raw::c_void;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use mindtorch::{call, define, Error};
use mindtorch_sys as sys;
use mindtorch_tests::error;

static DROPPED: AtomicUsize = AtomicUsize::new(0);

/// An error that uses the library, which fails, when it is dropped.
#[derive(Debug)]
struct Busy;
impl fmt::Display for Busy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("busy")
    }
}
impl std::error::Error for Busy {}
impl Drop for Busy {
    fn drop(&mut self) {
        error(call("rusttest::absent", "", &[], &[]));
        DROPPED.fetch_add(1, SeqCst);
    }
}

#[test]
fn an_error_may_use_the_library_when_its_status_is_freed() {
    define("rusttest::busy() -> int", |_| Err(Error::from_error(Busy))).unwrap();
    let (mut op, mut result, mut count) = (std::ptr::null(), std::mem::MaybeUninit::uninit(), 0);
    // Safety: the operator has no argument and one result.
    unsafe {
        assert!(sys::mt_op_find(b"rusttest::busy\0".as_ptr().cast(), b"\0".as_ptr().cast(), &mut op).is_null());
        let status = sys::mt_op_call(op, std::ptr::null(), 0, result.as_mut_ptr(), 1, &mut count);
        assert!(!status.is_null());
        assert_eq!(DROPPED.load(SeqCst), 0);
        sys::mt_status_release(status);
    }
    assert_eq!(DROPPED.load(SeqCst), 1);
}

unsafe extern "C" fn fail_for_a_cause(
    _user: *mut c_void,
    _op: *const sys::mt_op,
    _keys: u64,
    _args: *const sys::mt_value,
    _n: i64,
    _rets: *mut sys::mt_value,
    _n_rets: i64,
) -> *mut sys::mt_status {
    let of = |kind: &[u8], text: &[u8]| sys::mt_status_create(kind.as_ptr().cast(), text.as_ptr().cast());
    sys::mt_status_set_cause(of(b"RuntimeError\0", b"second\0"), of(b"ValueError\0", b"first\0"))
}

#[test]
fn the_cause_of_an_error_is_its_source() {
    let mut op = std::ptr::null();
    // Safety: the texts end with a NUL.
    unsafe {
        assert!(sys::mt_op_define(b"rusttest::caused() -> int\0".as_ptr().cast(), &mut op).is_null());
        let (key, user) = (sys::MT_KEY_COMPOSITE, std::ptr::null_mut());
        assert!(sys::mt_op_register_kernel(op, key, Some(fail_for_a_cause), user, None).is_null());
    }
    let failure = error(call("rusttest::caused", "", &[], &[]));
    assert_eq!(failure.to_string(), "RuntimeError: second");
    assert_eq!(failure.source().unwrap().to_string(), "ValueError: first");
}
